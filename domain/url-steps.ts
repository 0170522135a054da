/**
 * How a URL becomes its canonical form, step by step for people: the same rules as `canonicalize`, one at a time. Slow,
 * only for explanations; property tests check that both agree.
 *
 * WHATWG URL does many rewrites in one go. To show them one by one, the text is rewritten step by step, each time into
 * another spelling of the same URL. What remains after these steps is the last one, `encoding`.
 */
import { percentNormalForm } from './url-percent.ts';
import { droppedAs, dropPathSessions } from './url-rules.ts';
import { defaultCanonicalRules, withoutTrailingSlashes, withoutWww, type CanonicalRules } from './url.ts';

export const canonicalRuleNames = [
  'white-space',
  'slashes',
  'lower-case-scheme',
  'lower-case-host',
  'host-form',
  'default-port',
  'dot-segments',
  'root-path',
  'encoding',
  'fragment',
  'host-dot',
  'www',
  'percent-encoding',
  'session-in-path',
  'trailing-slash',
  'tracking-parameter',
  'session-parameter',
  'empty-parameters',
  'sorted-parameters',
] as const;
export type CanonicalRuleName = (typeof canonicalRuleNames)[number];

export interface CanonicalStep {
  readonly rule: CanonicalRuleName;
  /** The parameter, fragment or port that the step removed; null: the step rewrote text. */
  readonly dropped: string | null;
  /** The URL after the step. */
  readonly result: string;
}

/** Every rule that changed something, in order; empty if the URL is canonical already. `canonicalize` must take it. */
export function canonicalSteps(
  raw: string,
  rules: CanonicalRules = defaultCanonicalRules,
): readonly CanonicalStep[] {
  const parsed = URL.parse(raw);
  if (parsed === null) return [];
  const steps: CanonicalStep[] = [];
  let text = raw;
  const step = (rule: CanonicalRuleName, result: string, dropped: string | null = null): void => {
    if (result === text) return;
    steps.push({ rule, dropped, result });
    text = result;
  };
  for (const { rule, rewrite } of spellings) {
    const { result, dropped = null } = rewrite(text, parsed);
    step(rule, result, dropped);
  }
  step('encoding', parsed.href);

  const hash = text.indexOf('#');
  if (hash >= 0) step('fragment', text.slice(0, hash), text.slice(hash));
  if (parsed.hostname.endsWith('.')) {
    parsed.hostname = parsed.hostname.slice(0, -1);
    step('host-dot', parsed.origin + text.slice(pathStart(text)));
  }
  const found = text.slice(0, pathStart(text));
  const origin = rules.dropWww ? withoutWww(found) : found;
  step('www', origin + text.slice(found.length));
  step('percent-encoding', origin + percentNormalForm(text.slice(origin.length)));
  const [path, query] = pathAndQueryOf(text.slice(origin.length));
  const plainPath = dropPathSessions(path);
  step('session-in-path', origin + plainPath + query);
  const finalPath = rules.dropTrailingSlash ? withoutTrailingSlashes(plainPath) : plainPath;
  step('trailing-slash', origin + finalPath + query);
  for (const { rule, result, dropped } of querySteps(query)) step(rule, origin + finalPath + result, dropped);
  return steps;
}

interface Rewriting {
  readonly result: string;
  readonly dropped?: string;
}

/** Differences in spelling that WHATWG URL removes, each with a rewrite that removes only this difference. */
const spellings: readonly {
  readonly rule: CanonicalRuleName;
  readonly rewrite: (text: string, parsed: URL) => Rewriting;
}[] = [
  {
    rule: 'white-space',
    rewrite: (text) => ({ result: text.replace(/^[\0-\x20]+|[\0-\x20]+$|[\t\n\r]/g, '') }),
  },
  { rule: 'slashes', rewrite: (text) => ({ result: plainSlashes(text) }) },
  {
    rule: 'lower-case-scheme',
    rewrite: (text) => ({ result: text.replace(/^[a-z]+(?=:)/i, (scheme) => scheme.toLowerCase()) }),
  },
  {
    rule: 'lower-case-host',
    rewrite: (text) => ({ result: withAuthority(text, (authority) => authority.toLowerCase()) }),
  },
  {
    rule: 'host-form',
    rewrite: (text, { hostname }) => ({
      result: withAuthority(text, (authority) => hostname + (portText.exec(authority)?.[0] ?? '')),
    }),
  },
  {
    rule: 'default-port',
    rewrite: (text, { host }) => {
      const port = portText.exec(authorityOf(text))?.[0];
      return { result: withAuthority(text, () => host), ...(port !== undefined && { dropped: port }) };
    },
  },
  {
    rule: 'dot-segments',
    rewrite: (text) => ({ result: withPath(text, withoutDotSegments) }),
  },
  { rule: 'root-path', rewrite: (text) => ({ result: withPath(text, (path) => path || '/') }) },
];

const portText = /:\d*$/;
const schemeAndAuthority = /^([a-z]+:\/\/)([^/?#]*)/i;

const authorityOf = (text: string): string => schemeAndAuthority.exec(text)?.[2] ?? '';

function withAuthority(text: string, change: (authority: string) => string): string {
  return text.replace(
    schemeAndAuthority,
    (_, scheme: string, authority: string) => scheme + change(authority),
  );
}

function withPath(text: string, change: (path: string) => string): string {
  const start = pathStart(text);
  const length = text.slice(start).search(/[?#]|$/);
  return text.slice(0, start) + change(text.slice(start, start + length)) + text.slice(start + length);
}

const pathStart = (text: string): number => schemeAndAuthority.exec(text)?.[0].length ?? text.length;

/** `http:/h\a` is read as `http://h/a`. */
function plainSlashes(text: string): string {
  const end = text.search(/[?#]|$/);
  const slashed = text.slice(0, end).replaceAll('\\', '/');
  return slashed.replace(/^([a-z]+:)\/*/i, '$1//') + text.slice(end);
}

const oneDot = /^(?:\.|%2e)$/i;
const twoDots = /^(?:\.|%2e){2}$/i;

/** RFC 3986 §5.2.4, with `%2e` for a dot as WHATWG URL has it. */
function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, at) => {
    const last = at === segments.length - 1;
    if (twoDots.test(segment)) kept.pop();
    if (!twoDots.test(segment) && !oneDot.test(segment)) kept.push(segment);
    else if (last) kept.push('');
  });
  return path === '' ? '' : `/${kept.join('/')}`;
}

function pathAndQueryOf(text: string): readonly [path: string, query: string] {
  const mark = text.indexOf('?');
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark)];
}

/** @param query with its `?`, in percent-encoding normal form, or empty. */
function* querySteps(query: string): Generator<CanonicalStep> {
  if (query === '') return;
  const given = query.slice(1).split('&');
  let parameters = [...given];
  const text = (): string => (parameters.length === 0 ? '' : `?${parameters.join('&')}`);
  for (const parameter of given) {
    const kind = droppedAs(nameOf(parameter), parameter.slice(nameOf(parameter).length + 1));
    if (kind === null) continue;
    parameters.splice(parameters.indexOf(parameter), 1);
    yield { rule: `${kind}-parameter`, dropped: parameter, result: text() };
  }
  parameters = parameters.filter((parameter) => parameter !== '');
  yield { rule: 'empty-parameters', dropped: null, result: text() };
  // Stable: repeated names keep their order.
  parameters = parameters.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
  yield { rule: 'sorted-parameters', dropped: null, result: text() };
}

const nameOf = (parameter: string): string => parameter.split('=', 1)[0] ?? '';
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
