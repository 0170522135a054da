/**
 * Shapes of URLs: what many URLs of one host have in common, such as `/calendar/{n}/{n}`. A URL has several shapes, from
 * the narrowest to the whole host. Trap evidence is gathered by shape (watch.ts), and a quarantine names a shape: a URL
 * belongs to it if the shape is among its own. So no pattern has to be matched.
 *
 * One law for path and query: a URL is a sequence of parts, the segments of its path and then its parameters in the order
 * of their names. `/package/zlib` and `/package.php?name=zlib` have shapes of the same kinds, and it makes no difference
 * whether parameters are parted by `&` or by `;`.
 */

/** The widest shape: all URLs of a host. */
export const wholeHost = '/**';
/** URLs in which a part occurs three times or more. */
const repeated = 'a segment three times';
/** URLs with more path segments than people make. */
const deep = 'over 20 segments';

/** URLs of all hosts below a domain. */
const belowPrefix = 'hosts below ';
export const hostsBelow = (domain: string): string => belowPrefix + domain;
/** Null: the shape is one of paths, at one host. */
export const domainOfShape = (shape: string): string | null =>
  shape.startsWith(belowPrefix) ? shape.slice(belowPrefix.length) : null;

/** URLs with a parameter of this name, whatever their paths. */
export const withParameter = (name: string): string => `**?${name}`;
export const isOfParameter = (shape: string): boolean => shape.startsWith('**?');
/** The shape has pages of many kinds: all below a folder, all with a parameter, or all with any further parameters. */
export const isWide = (shape: string): boolean => shape.includes('**');

const mostSegments = 20;
/** A part that occurs so often makes a loop. */
const repeatsOfLoop = 3;
/** Levels of folders that are shapes of their own. */
const folderLevels = 3;
/** Most query parameters that are looked at one by one. */
const mostParameters = 8;

export const isLoop = (shape: string): boolean => shape === repeated || shape === deep;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const hexadecimal = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{12,}$/i;
const plain = /^[0-9a-z]{8,}$/i;
const switches = /[0-9](?=[a-z])|[a-z](?=[0-9])/gi;

/** Made by a machine: letters and digits mixed in a way in which people do not name things. */
export function isToken(text: string): boolean {
  if (text.length < 8) return false;
  if (uuid.test(text) || hexadecimal.test(text)) return true;
  return plain.test(text) && (text.match(switches)?.length ?? 0) >= 3;
}

/**
 * A segment, name or value with its variable parts as wildcards: `{t}` for a token, `{n}` for a run of digits. An asterisk
 * of its own is escaped, so that those of a shape are always ours.
 */
const masked = (text: string): string =>
  isToken(text) ? '{t}' : text.replace(/[0-9]+/g, '{n}').replaceAll('*', '%2A');

interface Parameter {
  readonly name: string;
  /** Null: there is no equals sign. */
  readonly value: string | null;
  readonly text: string;
}

interface UrlParts {
  /** Of the path; a slash at its end adds none. */
  readonly segments: readonly string[];
  readonly slash: '/' | '';
  /** In the order of their names. */
  readonly parameters: readonly Parameter[];
}

function partsOf(pathAndQuery: string): UrlParts {
  const at = pathAndQuery.indexOf('?');
  const path = at < 0 ? pathAndQuery : pathAndQuery.slice(0, at);
  const slash = path.length > 1 && path.endsWith('/') ? '/' : '';
  const inner = path.slice(1, path.length - slash.length);
  const texts = at < 0 ? [] : pathAndQuery.slice(at + 1).split(/[&;]/);
  const parameters = texts.flatMap((text): Parameter[] => {
    if (text === '') return [];
    const equals = text.indexOf('=');
    const [name, value] = equals < 0 ? [text, null] : [text.slice(0, equals), text.slice(equals + 1)];
    return [{ name, value, text }];
  });
  parameters.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { segments: inner === '' ? [] : inner.split('/'), slash, parameters };
}

const maskedParameter = ({ name, value }: Parameter): string =>
  value === null ? masked(name) : `${masked(name)}=${masked(value)}`;

/** The last part of a URL is what its siblings differ in: without a wildcard of its own it becomes one. */
const open = (part: string, isParameter: boolean): string => {
  if (part.includes('{')) return part;
  if (!isParameter) return '*';
  const equals = part.indexOf('=');
  return equals < 0 ? part : `${part.slice(0, equals)}=*`;
};

/**
 * The shapes of a URL, the narrowest first. `wholeHost` is always the last.
 * @param pathAndQuery of the canonical URL
 */
export function shapesOf(pathAndQuery: string): readonly string[] {
  const { segments, slash, parameters } = partsOf(pathAndQuery);
  const parts = segments.map(masked);
  const shapes: string[] = [];
  if (parameters.length > 0) {
    const path = `/${parts.join('/')}${slash}`;
    const query = parameters.slice(0, mostParameters).map(maskedParameter);
    shapes.push(`${path}?${[...query.slice(0, -1), open(query.at(-1) ?? '', true)].join('&')}`);
    if (query.length > 1) shapes.push(`${path}?${query[0] ?? ''}&**`);
    shapes.push(`${path}?**`);
    for (const { name, value } of parameters.slice(0, mostParameters))
      if (value !== null) shapes.push(withParameter(masked(name)));
  } else if (parts.length > 0) {
    shapes.push(`/${[...parts.slice(0, -1), open(parts.at(-1) ?? '', false)].join('/')}${slash}`);
  }
  if (hasRepeats([...segments, ...parameters.map(({ text }) => text)])) shapes.push(repeated);
  if (segments.length > mostSegments) shapes.push(deep);
  for (let level = Math.min(folderLevels, parts.length - 1); level > 0; level--)
    shapes.push(`/${parts.slice(0, level).join('/')}/**`);
  shapes.push(wholeHost);
  // A parameter may come twice.
  return [...new Set(shapes)];
}

/** How deep a URL lies: parts of its path and query. */
export const depthOf = (pathAndQuery: string): number => {
  const { segments, parameters } = partsOf(pathAndQuery);
  return segments.length + parameters.length;
};

function hasRepeats(parts: readonly string[]): boolean {
  if (parts.length < repeatsOfLoop) return false;
  const times = new Map<string, number>();
  for (const part of parts) {
    if (part === '') continue;
    const count = (times.get(part) ?? 0) + 1;
    if (count === repeatsOfLoop) return true;
    times.set(part, count);
  }
  return false;
}

/** A URL without one of its parts. */
export interface Shortened {
  /** Of the parameter that is left out; null: two segments of the path, a name and a value. */
  readonly name: string | null;
  readonly rest: string;
}

/**
 * The URL as other URLs are compared with it, and without each of its parameters or, where it has none, each of the last
 * pairs of path segments (`/colour/red/size/xl`).
 */
export function shortened(pathAndQuery: string): { readonly whole: string; readonly without: Shortened[] } {
  const { segments, slash, parameters } = partsOf(pathAndQuery);
  const written = (path: readonly string[], query: readonly Parameter[]): string =>
    `/${path.join('/')}${slash}${query.length === 0 ? '' : `?${query.map(({ text }) => text).join('&')}`}`;
  const without: Shortened[] = parameters.slice(0, mostParameters).map((left, at) => ({
    name: masked(left.name),
    rest: written(
      segments,
      parameters.filter((_, other) => other !== at),
    ),
  }));
  if (parameters.length === 0)
    for (let at = segments.length - 2; at >= 0 && without.length < mostParameters; at -= 2)
      without.push({ name: null, rest: written([...segments.slice(0, at), ...segments.slice(at + 2)], []) });
  return { whole: written(segments, parameters), without };
}
