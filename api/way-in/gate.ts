/**
 * The way into the API (F36): who is the caller, how often may they come, may they do this, and is that crawl theirs? A
 * request that fits no route goes no further. Behind the gate every guarded route has a caller, every crawl in a path
 * belongs to the caller's tenant, and cursors are unsealed.
 */
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { crawlId as crawlIdSchema } from '../../contracts/http/shared.ts';
import { defaultTenant, roles } from '../../contracts/tenancy.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { anyCrawlOfTenant, crawlOfTenant } from '../../storage/crawls/index.ts';
import { cursorSecret } from '../../storage/instance/index.ts';
import type { RecordRequest } from './audit-log.ts';
import type { Guarded, GuardedRoute, Judge } from './access.ts';
import { callerOf, setCaller, type Caller } from './caller.ts';
import { noSuchCrawl } from '../crawls/crawl-ids.ts';
import { createCursorSeal, type CursorSeal } from './cursors.ts';
import type { Keyring } from './keyring.ts';
import { badCursor, HttpProblem, methodNotAllowed, notFound } from './problem.ts';
import { TokensUnavailable } from './tokens.ts';

/**
 * @param limits run once the caller is known; `record` runs next, before the gate judges what the caller may do
 */
export function gate(
  judge: Judge,
  pool: Pool,
  keyring: Keyring,
  limits: readonly RequestHandler[],
  record: RecordRequest,
): RequestHandler[] {
  const judged = new WeakMap<Request, GuardedRoute>();
  const owns = createOwnership(pool);
  const seal = lazily(async () => {
    const [row] = await cursorSecret(pool);
    if (row === undefined) throw new Error('the database has no identity: table instance is empty');
    return createCursorSeal(row.secret);
  });

  const enter: RequestHandler = async (request, response, next) => {
    const judgement = judge(request.method, request.path);
    switch (judgement.kind) {
      case 'public':
        next();
        return;
      case 'unknown':
        notFound(request, response, next);
        return;
      case 'other-method':
        methodNotAllowed(...judgement.allowed)(request, response, next);
        return;
      case 'guarded':
        judged.set(request, judgement);
        setCaller(request, await identify(keyring, request, response));
        next();
    }
  };
  const admit: RequestHandler = async (request, response, next) => {
    const route = judged.get(request);
    if (route !== undefined) {
      const caller = callerOf(request);
      await record(request, response, route);
      permit(caller, route.access, response);
      const { crawlId } = route;
      if (crawlId !== null) {
        const own = await owns(caller.tenantId, decoded(crawlId), request.method === 'DELETE');
        if (!own) noSuchCrawl(decoded(crawlId));
      }
      if (!route.access.instance) await sealCursors(seal, caller, request, response);
    }
    next();
  };
  return [enter, ...limits, admit];
}

/** Decoded as express will decode it for the handler. @throws URIError */
const decoded = (segment: string): string => decodeURIComponent(segment);

const credentialFields = new Set(['authorization', 'authentication', 'api-x-token']);
const credentials = /^Bearer +([\w.~+/-]+=*) *$/i;

/**
 * The token from `Authorization`, or from the `Authentication` or `API-X-TOKEN` of the compatible routes, each as
 * `Bearer <token>`. Undefined: there is none; null: it is not well-formed.
 */
export function tokenOf({ rawHeaders }: Pick<Request, 'rawHeaders'>): string | null | undefined {
  // Of several Authorization fields Node keeps the first alone.
  const sent = rawHeaders.filter(
    (_, at) => at % 2 === 1 && credentialFields.has(rawHeaders[at - 1]?.toLowerCase() ?? ''),
  );
  if (sent.length === 0) return undefined;
  const tokens = new Set(sent.map((value) => credentials.exec(value)?.[1] ?? null));
  const [token = null] = tokens;
  return tokens.size === 1 ? token : null;
}

/** Is the key or token of a request that lasts still accepted? @throws as Keyring.callerOf */
export async function isStillValid(keyring: Keyring, request: Request): Promise<boolean> {
  const token = tokenOf(request);
  return typeof token === 'string' && !('refused' in (await keyring.callerOf(token)));
}

/** As `Keyring.callerOf`. @throws HttpProblem where the issuer of tokens does not answer */
export const judged = (keyring: Keyring, token: string): ReturnType<Keyring['callerOf']> =>
  keyring.callerOf(token).catch((error: unknown) => {
    if (!(error instanceof TokensUnavailable)) throw error;
    throw new HttpProblem(503, 'Tokens cannot be checked now: their issuer does not answer. Try again soon.');
  });

async function identify(keyring: Keyring, request: Request, response: Response): Promise<Caller> {
  const token = tokenOf(request);
  if (token === undefined) {
    response.set('WWW-Authenticate', 'Bearer realm="orbweaver"');
    throw new HttpProblem(401, 'Send a key or token: Authorization: Bearer …', {
      kind: 'unauthenticated',
    });
  }
  const found = token === null ? { refused: 'it is not well-formed' } : await judged(keyring, token);
  if (!('refused' in found)) return found;
  const { refused } = found;
  request.log.info({ refused }, 'a key or token was refused');
  const description = refused === null ? '' : `, error_description="${refused}"`;
  response.set('WWW-Authenticate', `Bearer realm="orbweaver", error="invalid_token"${description}`);
  const why = refused === null ? '' : ` (${refused})`;
  throw new HttpProblem(401, `The key or token is not valid, or no longer valid${why}.`, {
    kind: 'unauthenticated',
  });
}

function permit(caller: Caller, access: Guarded, response: Response): void {
  const problem = refusal(caller, access);
  if (problem === null) return;
  response.set('WWW-Authenticate', 'Bearer realm="orbweaver", error="insufficient_scope"');
  throw new HttpProblem(403, problem, { kind: 'forbidden' });
}

function refusal(caller: Caller, { least, scopes, instance }: Guarded): string | null {
  if (instance && caller.tenantId !== defaultTenant)
    return 'This concerns the whole instance, so it needs a key of the first tenant.';
  if (roles.indexOf(caller.role) < roles.indexOf(least))
    return `This needs the role ${least}; your role is ${caller.role}.`;
  if (caller.scopes !== null && !scopes.some((scope) => caller.scopes?.includes(scope)))
    return `Your key does not have the scope ${scopes.join(' or ')}.`;
  return null;
}

const keptMs = 5_000;

/**
 * The tenant of a crawl never changes. It is kept for the latest crawls, but only for as long as another process may
 * not know that a crawl is being deleted. Only crawls of the asking tenant are kept: a crawl of another tenant takes as
 * long to refuse as one that never existed. A caller who deletes a crawl may still ask how far the deletion is.
 */
function createOwnership(
  pool: Pool,
): (tenantId: number, crawlId: string, deletes: boolean) => Promise<boolean> {
  const owned = new LRUCache<string, true>({ max: 10_000, ttl: keptMs });
  return async (tenantId, crawlId, deletes) => {
    if (!crawlIdSchema.safeParse(crawlId).success) return false;
    const pair = `${String(tenantId)} ${crawlId}`;
    if (deletes) {
      owned.delete(pair);
      return (await anyCrawlOfTenant(pool, crawlId, tenantId)).length > 0;
    }
    if (owned.has(pair)) return true;
    if ((await crawlOfTenant(pool, crawlId, tenantId)).length === 0) return false;
    owned.set(pair, true);
    return true;
  };
}

/** Unseals the cursor of the query for the routes behind, and seals the `next` of their answer. */
async function sealCursors(
  seal: () => Promise<CursorSeal>,
  { tenantId }: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const cursors = await seal();
  const list = `${String(tenantId)} ${request.path}`;
  const { cursor } = request.query;
  if (typeof cursor === 'string') {
    const opened = cursors.open(list, cursor);
    if (opened === null) return badCursor();
    // Express computes the query anew at each access, until the request has a property of its own.
    Object.defineProperty(request, 'query', { value: { ...request.query, cursor: opened } });
  }
  const json = response.json.bind(response);
  response.json = (body: unknown) =>
    json(
      typeof body === 'object' && body !== null && 'next' in body && typeof body.next === 'string'
        ? { ...body, next: cursors.seal(list, body.next) }
        : body,
    );
}

/** Made at the first call; a call that fails is tried again at the next. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
