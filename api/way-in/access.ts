/**
 * Who may use which route. Each route says so itself (routes/route.ts), and the gate judges requests by all routes
 * together: a request that fits no route goes no further, whatever the routers offer. Every route except the public
 * ones is about the caller's own tenant: crawls of other tenants are answered like crawls that never existed (gate.ts).
 * A route of the whole instance is only for callers of the first tenant with the role that the route names.
 */
import { roles, type Role, type Scope } from '../../contracts/tenancy.ts';

export interface Guarded {
  readonly least: Role;
  /** A key that is confined to parts of the API has one of them. */
  readonly scopes: readonly Scope[];
  /** It is about the whole instance. */
  readonly instance: boolean;
}
export type Access = 'public' | Guarded;

const own =
  (least: Role) =>
  (...scopes: Scope[]): Guarded => ({ least, scopes, instance: false });
export const reader = own('reader');
export const operator = own('operator');
export const admin = own('admin');
export const instance = (least: Role, scope: Scope): Guarded => ({ least, scopes: [scope], instance: true });

/** In the order in which `Allow` names them. */
const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** What the gate needs to know of a route. */
interface AccessRow {
  readonly method: Method;
  /** Parameters as in the OpenAPI document, `{crawlId}`; `/*` at the end stands for all paths below. */
  readonly path: string;
  readonly access: Access;
  /** A GET that gives stored bodies away, and so is an entry of the audit log. */
  readonly isDownload?: true | undefined;
}

interface Row extends AccessRow {
  readonly segments: readonly string[];
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/').slice(1);

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Compares as express does: ignores case, and a slash at the end. */
function matches({ segments }: Row, asked: readonly string[]): boolean {
  const below = segments.at(-1) === '*';
  if (below ? asked.length < segments.length : asked.length !== segments.length) return false;
  return asked.every((segment, index) => {
    const wanted = segments[index] ?? '*';
    return wanted === '*' || (isParameter(wanted) ? segment !== '' : wanted === segment.toLowerCase());
  });
}

export interface GuardedRoute {
  readonly kind: 'guarded';
  readonly access: Guarded;
  /** As the route has it. */
  readonly path: string;
  /** As sent; null: the route is not about a crawl. */
  readonly crawlId: string | null;
  /** The part of the audit log that gets an entry: about who may do what, or other; null: none, as nothing is changed. */
  readonly audit: 'security' | 'other' | null;
}

export type Judgement =
  | { readonly kind: 'public' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | GuardedRoute;

/** @param path the path of the request, still percent-encoded */
export type Judge = (method: string, path: string) => Judgement;

/** The strictest demand of all rows that fit, so that it does not matter which of them express takes. */
function strictest(one: Guarded, other: Guarded): Guarded {
  const higher = roles.indexOf(other.least) > roles.indexOf(one.least) ? other : one;
  return { ...higher, instance: one.instance || other.instance };
}

export function createJudge(table: readonly AccessRow[]): Judge {
  const rows: readonly Row[] = table.map((row) => ({ ...row, segments: segmentsOf(row.path) }));
  return (method, path) => {
    const asked = segmentsOf(path);
    const found = rows.filter((row) => matches(row, asked));
    if (found.length === 0) return { kind: 'unknown' };
    const wanted = method === 'HEAD' ? 'GET' : method;
    const fitting = found.filter((row) => row.method === wanted);
    if (fitting.length === 0) {
      const allowed = methods.filter((each) => found.some((row) => row.method === each));
      return { kind: 'other-method', allowed };
    }
    const guarded = fitting.flatMap(({ access, path: route }) =>
      access === 'public' ? [] : [{ access, route }],
    );
    const [first] = guarded;
    if (first === undefined) return { kind: 'public' };
    const place = fitting.map(({ segments }) => segments.indexOf('{crawlId}')).find((index) => index >= 0);
    const crawlId = place === undefined ? null : (asked[place] ?? null);
    const access = guarded.map((row) => row.access).reduce(strictest);
    const isNoted =
      wanted !== 'GET' || (method === 'GET' && fitting.some(({ isDownload = false }) => isDownload));
    // Keys, tenants, webhooks and what else admins alone may do, and whatever is deleted.
    const audit = !isNoted ? null : wanted === 'DELETE' || access.least === 'admin' ? 'security' : 'other';
    return { kind: 'guarded', access, path: first.route, crawlId, audit };
  };
}
