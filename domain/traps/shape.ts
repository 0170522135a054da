/**
 * Shapes of URLs: what many URLs of one host have in common, such as `/calendar/{n}/{n}`. A URL has several shapes, from
 * the narrowest to the whole host. Trap evidence is gathered by shape (watch.ts), and a quarantine names a shape: a URL
 * belongs to it if the shape is among its own. So no pattern has to be matched.
 */

/** The widest shape: all URLs of a host. */
export const wholeHost = '/**';
/** URLs in whose path a segment occurs three times or more. */
const repeated = 'a segment three times';
/** URLs with more path segments than people make. */
const deep = 'over 20 segments';

/** URLs of all hosts below a domain. */
const belowPrefix = 'hosts below ';
export const hostsBelow = (domain: string): string => belowPrefix + domain;
/** Null: the shape is one of paths, at one host. */
export const domainOfShape = (shape: string): string | null =>
  shape.startsWith(belowPrefix) ? shape.slice(belowPrefix.length) : null;

const mostSegments = 20;
const mostRepeats = 3;
/** Levels of folders that are shapes of their own. */
const folderLevels = 3;
/** Most query parameters that are looked at one by one. */
const mostParameters = 12;

/**
 * - exact: every segment, with digits and tokens as wildcards, and the names of the query
 * - query: one path with any query
 * - session: any path below a token, or with a parameter whose value is a token
 * - loop: `repeated` and `deep`
 * - folder: everything below a folder
 * - host: `wholeHost`
 * - domain: `hostsBelow` a domain
 */
export type ShapeKind = 'exact' | 'query' | 'session' | 'loop' | 'folder' | 'host' | 'domain';

export function kindOfShape(shape: string): ShapeKind {
  if (domainOfShape(shape) !== null) return 'domain';
  if (shape === wholeHost) return 'host';
  if (shape === repeated || shape === deep) return 'loop';
  if (shape.startsWith('**?') || shape.endsWith('{t}/**')) return 'session';
  if (shape.endsWith('?*')) return 'query';
  return shape.endsWith('/**') ? 'folder' : 'exact';
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const plain = /^[0-9a-z]{8,}$/i;
const switches = /[0-9](?=[a-z])|[a-z](?=[0-9])/gi;

/** Made by a machine: letters and digits mixed in a way in which people do not name things. */
export function isToken(text: string): boolean {
  if (text.length < 8) return false;
  if (uuid.test(text)) return true;
  return plain.test(text) && (text.match(switches)?.length ?? 0) >= 3;
}

/**
 * A segment or name with its variable parts as wildcards: `{t}` for a token, `{n}` for a run of digits. An asterisk of its
 * own is escaped, so that those of a shape are always ours.
 */
const masked = (segment: string): string =>
  isToken(segment) ? '{t}' : segment.replace(/[0-9]+/g, '{n}').replaceAll('*', '%2A');

/** Where the query begins; the length of the text if there is none. */
const queryAt = (pathAndQuery: string): number => {
  const at = pathAndQuery.indexOf('?');
  return at < 0 ? pathAndQuery.length : at;
};

/**
 * The shapes of a URL, the narrowest first. `wholeHost` is always the last.
 * @param pathAndQuery of the canonical URL
 */
export function shapesOf(pathAndQuery: string): readonly string[] {
  const end = queryAt(pathAndQuery);
  const segments = pathAndQuery.slice(1, end).split('/');
  const parts = segments.map(masked);
  const path = `/${parts.join('/')}`;
  const shapes: string[] = [];
  if (end < pathAndQuery.length) {
    const parameters = pathAndQuery
      .slice(end + 1)
      .split('&', mostParameters)
      .map((text) => {
        const [name = '', value = ''] = text.split('=', 2);
        return { name: masked(name), value };
      });
    shapes.push(`${path}?${[...new Set(parameters.map(({ name }) => name))].sort().join('&')}`, `${path}?*`);
    for (const { name, value } of parameters) if (isToken(value)) shapes.push(`**?${name}={t}`);
  } else if (path.includes('{')) {
    shapes.push(path);
  }
  const token = parts.indexOf('{t}');
  if (token >= 0 && token < parts.length - 1) shapes.push(`/${parts.slice(0, token + 1).join('/')}/**`);
  if (hasRepeats(segments)) shapes.push(repeated);
  if (segments.length > mostSegments) shapes.push(deep);
  for (let level = Math.min(folderLevels, parts.length - 1); level > 0; level--) {
    const folder = `/${parts.slice(0, level).join('/')}/**`;
    if (!shapes.includes(folder)) shapes.push(folder);
  }
  shapes.push(wholeHost);
  // A parameter may come twice.
  return [...new Set(shapes)];
}

function hasRepeats(segments: readonly string[]): boolean {
  if (segments.length < mostRepeats) return false;
  const times = new Map<string, number>();
  for (const segment of segments) {
    if (segment === '') continue;
    const count = (times.get(segment) ?? 0) + 1;
    if (count === mostRepeats) return true;
    times.set(segment, count);
  }
  return false;
}

/** The words of the last segment that name something, in lower case: at least four letters. */
export function slugWords(pathAndQuery: string): readonly string[] {
  const path = pathAndQuery.slice(0, queryAt(pathAndQuery));
  const last = path.split('/').findLast((segment) => segment !== '') ?? '';
  return (
    last
      .toLowerCase()
      .replace(/\.[a-z]{2,5}$/, '')
      .match(/[a-z]{4,}/g) ?? []
  );
}

/** Does the last segment carry a token? */
export function endsInToken(pathAndQuery: string): boolean {
  const path = pathAndQuery.slice(0, queryAt(pathAndQuery));
  return isToken(path.split('/').findLast((segment) => segment !== '') ?? '');
}
