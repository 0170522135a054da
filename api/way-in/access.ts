/**
 * Who may use which route. Each route says so itself (routes/route.ts), and the gate judges requests by what all of them
 * say together: a request that fits no route goes no further, whatever the routers offer.
 * Every route but the public ones is about the caller's own tenant: crawls of others are as unknown as those that never
 * were (gate.ts). A route of the whole instance is for callers of the first tenant only, with the role it names.
 */
import { roles, type Role, type Scope } from '../../contracts/tenancy.ts';

export interface Guarded {
  readonly least: Role;
  readonly scope: Scope;
  readonly instance: boolean;
}
export type Access = 'public' | Guarded;

const own =
  (least: Role) =>
  (scope: Scope): Guarded => ({ least, scope, instance: false });
export const reader = own('reader');
export const operator = own('operator');
export const admin = own('admin');
export const instance = (least: Role, scope: Scope): Guarded => ({ least, scope, instance: true });

/** In the order in which `Allow` names them. */
const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** What the gate goes by. */
interface AccessRow {
  readonly method: Method;
  /** Parameters as in the OpenAPI document, `{crawlId}`; `/*` at the end: everything below. */
  readonly path: string;
  readonly access: Access;
}

interface Row extends AccessRow {
  readonly segments: readonly string[];
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/').slice(1);

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** As express compares: without case, and whatever stands behind a slash at the end. */
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
  /** As sent; null: no crawl's route. */
  readonly crawlId: string | null;
}

export type Judgement =
  | { readonly kind: 'public' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | GuardedRoute;

/** @param path the path of the request, still percent-encoded */
export type Judge = (method: string, path: string) => Judgement;

/** The most that any row which fits asks for: it does not matter which of them express would take. */
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
    return { kind: 'guarded', access, path: first.route, crawlId };
  };
}
