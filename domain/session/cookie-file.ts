/**
 * Cookies as a browser, or an extension of one, writes them to a file: `cookies.txt` as Netscape had it, or JSON (a list,
 * or an object with `cookies`, as extensions, Playwright and Puppeteer write it). No problem shows a value: files are
 * read where others may see what is said of them.
 */
import { isPair, type Cookie, type IsShared, type SameSite } from '../cookies.ts';

/** Cookies of a file; characters of a name and a value (RFC 6265bis §5.6), and of a path. */
const most = { cookies: 1_000, characters: 4_096, path: 1_024 };

export type ReadCookies =
  | { readonly ok: true; readonly cookies: readonly Cookie[] }
  | { readonly ok: false; readonly problem: string };

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly below: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly endsAt: number | null;
  readonly sameSite: SameSite | null;
}

const bad = (problem: string): ReadCookies => ({ ok: false, problem });

/** Of two cookies with one name, domain and path the later one is taken. @param text of the file */
export function readCookieFile(text: string, isShared: IsShared): ReadCookies {
  const isJson = /^\uFEFF?\s*[[{]/.test(text);
  const entries = isJson ? entriesOfJson(text.replace(/^\uFEFF/, '')) : entriesOfLines(text);
  if (typeof entries === 'string') return bad(entries);
  if (entries.length === 0) return bad('it has no cookie');
  if (entries.length > most.cookies)
    return bad(`it has ${String(entries.length)} cookies; ${String(most.cookies)} are allowed`);
  const cookies = new Map<string, Cookie>();
  for (const [where, entry] of entries) {
    const { name, value, domain, path, sameSite } = entry;
    if (!isPair(name, value)) return bad(`${where} has no name and value that can be sent`);
    if (name.length + value.length > most.characters) return bad(`${where} is too long`);
    if (!/^(?=.{1,253}$)(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(domain))
      return bad(`${where} has no host name as its domain`);
    if (!path.startsWith('/') || path.length > most.path) return bad(`${where} has no path such as /`);
    // A public suffix, an address, or a name of one label is shared by nobody: it is a host of its own (§5.7, step 9).
    const below = entry.below && isShared(domain);
    // What a browser keeps under these names came over TLS (§4.1.3).
    const secure = entry.secure || /^__(?:secure|host)-/i.test(name);
    const { endsAt } = entry;
    const cookie = {
      name,
      value,
      domain,
      below,
      path,
      secure,
      endsAt,
      ...(sameSite !== null && { sameSite }),
    };
    cookies.set([name, domain, String(below), path].join(' '), cookie);
  }
  return { ok: true, cookies: [...cookies.values()] };
}

type Entries = (readonly [where: string, Entry])[];

/** domain, subdomains, path, secure, expiry in seconds, name, value; `#HttpOnly_` before the domain is no comment. */
function entriesOfLines(text: string): Entries | string {
  const entries: Entries = [];
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/^#HttpOnly_/, '');
    if (line.trim() === '' || line.startsWith('#')) continue;
    const where = `line ${String(at + 1)}`;
    const [domain = '', below = '', path = '', secure = '', expiry = '', name = '', ...rest] =
      line.split('\t');
    if (
      name === '' ||
      rest.length !== 1 ||
      !/^(?:TRUE|FALSE)$/i.test(secure) ||
      !/^-?\d+(?:\.\d+)?$/.test(expiry)
    )
      return `${where} has not the seven fields of cookies.txt, with a tab between each two`;
    const ends = Number(expiry);
    entries.push([
      where,
      {
        name,
        value: rest[0] ?? '',
        domain: hostOf(domain),
        below: /^TRUE$/i.test(below) || domain.startsWith('.'),
        path,
        secure: /^TRUE$/i.test(secure),
        endsAt: ends > 0 ? 1_000 * ends : null,
        sameSite: null,
      },
    ]);
  }
  return entries;
}

function entriesOfJson(text: string): Entries | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // Its message may show a part of the file.
    if (error instanceof SyntaxError) return 'it is not valid JSON';
    throw error;
  }
  const list = Array.isArray(parsed) ? (parsed as unknown[]) : isObject(parsed) ? parsed['cookies'] : null;
  if (!Array.isArray(list)) return 'its JSON is neither a list of cookies nor an object with `cookies`';
  const entries: Entries = [];
  for (const [at, given] of (list as unknown[]).entries()) {
    const where = `cookie ${String(at + 1)}`;
    if (!isObject(given)) return `${where} is no object`;
    const { name, value, domain, path = '/', secure, hostOnly, sameSite } = given;
    if (typeof name !== 'string' || typeof value !== 'string' || typeof domain !== 'string')
      return `${where} has not the texts \`name\`, \`value\` and \`domain\``;
    const below = typeof hostOnly === 'boolean' ? !hostOnly : domain.startsWith('.');
    entries.push([
      where,
      {
        name,
        value,
        below,
        domain: hostOf(domain),
        path: typeof path === 'string' ? path : '/',
        secure: secure === true,
        endsAt: endOf(given['expirationDate'] ?? given['expires'] ?? given['expiry']),
        sameSite: sameSiteOf(sameSite),
      },
    ]);
  }
  return entries;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hostOf = (domain: string): string => domain.trim().toLowerCase().replace(/^\./, '');

/** Seconds since 1970, or a date. Nothing, 0 and -1 stand for the end of the session. */
function endOf(given: unknown): number | null {
  if (typeof given === 'number') return given > 0 ? 1_000 * given : null;
  const date = typeof given === 'string' ? Date.parse(given) : NaN;
  return Number.isNaN(date) ? null : date;
}

function sameSiteOf(given: unknown): SameSite | null {
  if (typeof given !== 'string') return null;
  const name = given.toLowerCase();
  if (name === 'no_restriction' || name === 'none') return 'none';
  return name === 'lax' || name === 'strict' ? name : null;
}
