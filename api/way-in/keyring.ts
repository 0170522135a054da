/**
 * Tells to whom a bearer token belongs. An accepted token is remembered for five seconds at most. So a revoked key, a
 * closed tenant and a changed quota take effect within that time everywhere, and at once in the process that made the
 * change.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keyStart } from '../../contracts/tenancy.ts';
import { useKey, findTenant, quotasOf } from '../../storage/tenancy/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { Caller } from './caller.ts';
import type { Refused, VerifyToken } from './tokens.ts';

export interface Keyring {
  /**
   * `refused`: why the token is not accepted; null where that is nobody's business, which keys exist among it.
   * @throws TokensUnavailable; an error of Postgres if Postgres does not answer
   */
  callerOf(token: string): Promise<Caller | { readonly refused: string | null }>;
  /** Whether the token was accepted when it was last checked, however long ago. */
  knows(token: string): boolean;
  /** Forgets all accepted tokens. */
  forget(): void;
}

const remembered = 10_000;
const rememberedMs = 5_000;
/** A longer token is refused at once, without a hash. */
const longestToken = 8_192;

const refusedKey = { refused: null };

interface Found {
  readonly caller: Caller;
  /** Milliseconds for which the token may be remembered, at most. */
  readonly forMs: number;
}

/** @param verifyToken null: only API keys are accepted */
export function createKeyring(pool: Pool, verifyToken: VerifyToken | null): Keyring {
  // Tokens are kept as hashes, so that a dump of the memory holds as few secrets as possible.
  const accepted = new LRUCache<string, Caller>({ max: remembered });
  const good = new LRUCache<string, true>({ max: remembered });
  const asked = new Map<string, ReturnType<Keyring['callerOf']>>();
  let generation = 0;

  const look = async (token: string, name: string): ReturnType<Keyring['callerOf']> => {
    const since = performance.now();
    const before = generation;
    const found = token.startsWith(keyStart) ? await byKey(token) : await byToken(token);
    if (found === null || 'refused' in found) {
      good.delete(name);
      return found ?? refusedKey;
    }
    good.set(name, true);
    const ttl = Math.floor(Math.min(rememberedMs, found.forMs) - (performance.now() - since));
    if (ttl > 0 && before === generation) accepted.set(name, found.caller, { ttl });
    return found.caller;
  };

  const byKey = async (token: string): Promise<Found | null> => {
    const key = await useKey(pool, token);
    if (key === null) return null;
    const { id, tenantId, role, scopes, quotas, forMs } = key;
    return {
      caller: {
        id: `key ${id}`,
        tenantId,
        role,
        scopes,
        quotas: quotasOf(quotas),
        keyEndsAt: forMs === null ? null : Date.now() + forMs,
      },
      forMs: forMs ?? Infinity,
    };
  };

  const byToken = async (token: string): Promise<Found | Refused> => {
    const valid = verifyToken === null ? { refused: 'this API takes no tokens' } : await verifyToken(token);
    if ('refused' in valid) return valid;
    const [tenant] = await findTenant(pool, valid.tenant);
    if (tenant === undefined) return { refused: 'its tenant is unknown or closed' };
    const { subject, role, forMs } = valid;
    const quotas = quotasOf(tenant.quotas);
    const caller = {
      id: `token ${subject}`,
      tenantId: tenant.id,
      role,
      scopes: null,
      quotas,
      keyEndsAt: null,
    };
    return { caller, forMs };
  };

  return {
    async callerOf(token) {
      if (token.length > longestToken) return { refused: 'it is too long' };
      const name = hash('sha256', token, 'base64');
      const known = accepted.get(name);
      if (known !== undefined) return known;
      const looking = asked.get(name) ?? look(token, name).finally(() => asked.delete(name));
      asked.set(name, looking);
      return looking;
    },
    knows: (token) => token.length <= longestToken && good.has(hash('sha256', token, 'base64')),
    forget: () => {
      generation++;
      accepted.clear();
      asked.clear();
    },
  };
}
