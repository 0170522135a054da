/**
 * Who may use which route: the one table of it. What is not in it is refused, whatever the routers offer (F36).
 * Every row but the public ones is about the caller's own tenant: crawls of others are as unknown as those that never
 * were (gate.ts). A row of the whole instance is for callers of the first tenant only, with the role it names.
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
const reader = own('reader');
const operator = own('operator');
const admin = own('admin');
const instance = (least: Role, scope: Scope): Guarded => ({ least, scope, instance: true });

/** By method and path, parameters as in the OpenAPI document; `/*` at the end: everything below. */
export const accessTable: Readonly<Record<string, Access>> = {
  'GET /': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /crawler': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /docs/*': 'public',

  'GET /v1/crawls': reader('crawls'),
  'POST /v1/crawls': operator('crawls'),
  'GET /v1/crawls/{crawlId}': reader('crawls'),
  'PATCH /v1/crawls/{crawlId}': operator('crawls'),
  'DELETE /v1/crawls/{crawlId}': operator('crawls'),
  'GET /v1/crawls/{crawlId}/versions': reader('crawls'),
  'GET /v1/crawls/{crawlId}/versions/{version}': reader('crawls'),
  'POST /v1/crawls/{crawlId}/versions/{version}/restore': operator('crawls'),
  'POST /v1/crawls/{crawlId}/pause': operator('crawls'),
  'POST /v1/crawls/{crawlId}/resume': operator('crawls'),
  'POST /v1/crawls/{crawlId}/cancel': operator('crawls'),
  'GET /v1/crawls/{crawlId}/seeds': reader('crawls'),
  'POST /v1/crawls/{crawlId}/seeds': operator('crawls'),
  'GET /v1/crawls/{crawlId}/pages': reader('crawls'),
  'GET /v1/crawls/{crawlId}/ledger': reader('crawls'),
  'GET /v1/crawls/{crawlId}/audit': reader('crawls'),
  'GET /v1/crawls/{crawlId}/explain': reader('crawls'),
  'GET /v1/crawls/{crawlId}/outlook': reader('crawls'),
  'GET /v1/crawls/{crawlId}/report': reader('crawls'),
  'GET /v1/crawls/{crawlId}/export': reader('crawls'),
  'GET /v1/crawls/{crawlId}/events': reader('crawls'),

  'GET /v1/crawls/{crawlId}/dead-letters': reader('crawls'),
  'POST /v1/crawls/{crawlId}/dead-letters/redrive': operator('crawls'),

  'GET /v1/dead-letters': instance('operator', 'hosts'),
  'GET /v1/hosts': instance('operator', 'hosts'),
  'GET /v1/hosts/{origin}': instance('operator', 'hosts'),
  'PATCH /v1/hosts/{origin}/settings': instance('operator', 'hosts'),
  'POST /v1/hosts/{origin}/robots': instance('operator', 'hosts'),
  'POST /v1/hosts/{origin}/retry': instance('operator', 'hosts'),
  'POST /v1/hosts/{origin}/pause': instance('operator', 'hosts'),
  'POST /v1/hosts/{origin}/resume': instance('operator', 'hosts'),
  'POST /v1/hosts/{origin}/drop': instance('operator', 'hosts'),
  'POST /v1/hosts/bulk': instance('operator', 'hosts'),

  'GET /v1/opt-outs': instance('operator', 'opt-outs'),
  'POST /v1/opt-outs': instance('operator', 'opt-outs'),
  'DELETE /v1/opt-outs/{domain}': instance('operator', 'opt-outs'),
  'GET /v1/complaints': instance('operator', 'opt-outs'),
  'POST /v1/complaints': instance('operator', 'opt-outs'),

  'POST /v1/url/scan': operator('crawls'),
  'GET /v1/job/status': reader('crawls'),
  'GET /v1/urls': reader('crawls'),
  'GET /metrics': instance('reader', 'metrics'),
  'POST /seed/urls': operator('crawls'),
  'POST /api/v1/seed': operator('crawls'),
  'POST /url/limit': operator('crawls'),
  'POST /api/v1/pause': operator('crawls'),
  'POST /api/v1/resume': operator('crawls'),
  'GET /api/v1/{url}/status': reader('crawls'),

  'POST /frontier/{shard}/lease_batch': operator('fetch'),
  'POST /frontier/{shard}/ack': operator('fetch'),
  'POST /dedup/check_and_add': operator('fetch'),

  'GET /v1/keys': admin('keys'),
  'POST /v1/keys': admin('keys'),
  'GET /v1/keys/{keyId}': admin('keys'),
  'DELETE /v1/keys/{keyId}': admin('keys'),

  'GET /v1/audit-log': admin('tenants'),

  'GET /v1/webhooks': admin('webhooks'),
  'POST /v1/webhooks': admin('webhooks'),
  'GET /v1/webhooks/{webhookId}': admin('webhooks'),
  'PATCH /v1/webhooks/{webhookId}': admin('webhooks'),
  'DELETE /v1/webhooks/{webhookId}': admin('webhooks'),
  'GET /v1/webhooks/{webhookId}/deliveries': admin('webhooks'),
  'POST /v1/webhooks/{webhookId}/replay': admin('webhooks'),
  'POST /v1/webhooks/{webhookId}/test': admin('webhooks'),

  'GET /v1/tenant': reader('tenants'),
  'GET /v1/tenants': instance('admin', 'tenants'),
  'POST /v1/tenants': instance('admin', 'tenants'),
  'GET /v1/tenants/{tenantId}': instance('admin', 'tenants'),
  'PATCH /v1/tenants/{tenantId}': instance('admin', 'tenants'),
  'DELETE /v1/tenants/{tenantId}': instance('admin', 'tenants'),
};

interface Row {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
  readonly access: Access;
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/').slice(1);

const rows: readonly Row[] = Object.entries(accessTable).map(([route, access]) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, path, segments: segmentsOf(path), access };
});

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
  /** As the table has it. */
  readonly path: string;
  /** As sent; null: no crawl's route. */
  readonly crawlId: string | null;
}

export type Judgement =
  | { readonly kind: 'public' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | GuardedRoute;

/** The most that any row which fits asks for: it does not matter which of them express would take. */
function strictest(one: Guarded, other: Guarded): Guarded {
  const higher = roles.indexOf(other.least) > roles.indexOf(one.least) ? other : one;
  return { ...higher, instance: one.instance || other.instance };
}

/** @param path the path of the request, still percent-encoded */
export function judge(method: string, path: string): Judgement {
  const asked = segmentsOf(path);
  const found = rows.filter((row) => matches(row, asked));
  if (found.length === 0) return { kind: 'unknown' };
  const wanted = method === 'HEAD' ? 'GET' : method;
  const fitting = found.filter((row) => row.method === wanted);
  if (fitting.length === 0)
    return { kind: 'other-method', allowed: [...new Set(found.map((row) => row.method))] };
  const guarded = fitting.flatMap(({ access, path: route }) =>
    access === 'public' ? [] : [{ access, route }],
  );
  const [first] = guarded;
  if (first === undefined) return { kind: 'public' };
  const place = fitting.map(({ segments }) => segments.indexOf('{crawlId}')).find((index) => index >= 0);
  const crawlId = place === undefined ? null : (asked[place] ?? null);
  const access = guarded.map((row) => row.access).reduce(strictest);
  return { kind: 'guarded', access, path: first.route, crawlId };
}
