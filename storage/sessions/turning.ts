/**
 * Turning the key of an instance: what other keys than the first have sealed is sealed by the first. Where a process knows
 * one key alone, there is nothing to do, and nothing is asked of Postgres.
 */
import type { Pool } from '../postgres/index.ts';
import { openHeaders, sealedBy, sealHeaders } from './sealed-headers.ts';
import type { SecretKeys } from './secret-keys.ts';
import { boundTo } from './sessions.ts';
import { oldHeaders, oldSessions, sealHeadersOf, sealSession } from './turning.sql.ts';

const atOnce = 500;

/**
 * A batch of what is still sealed by other keys that this process knows. What does not open, since it was changed, stays.
 * @throws NoKey
 */
export async function turnKey(
  pool: Pool,
  keys: SecretKeys,
): Promise<{ readonly turned: number; readonly left: number }> {
  const others = keys.others();
  if (others.length === 0) return { turned: 0, left: 0 };
  const sessions = await oldSessions(pool, others, atOnce);
  const headers = await oldHeaders(pool, sealedBy(others), atOnce);
  let turned = 0;
  for (const { crawl_id: crawlId, place, kind, ...was } of sessions) {
    const bound = boundTo(crawlId, place, kind);
    const text = openedOr(() => keys.open(was, bound));
    if (text === null) continue;
    const { key_id: keyId, sealed } = keys.seal(text, bound);
    await sealSession(pool, { crawlId, place, kind, was: was.sealed, sealed, keyId });
    turned++;
  }
  for (const { tenant_id: tenantId, headers: was, crawls } of headers) {
    const opened = openedOr(() => openHeaders(keys, tenantId, was));
    if (opened === null) continue;
    await sealHeadersOf(
      pool,
      crawls,
      JSON.stringify(was),
      JSON.stringify(sealHeaders(keys, tenantId, opened)),
    );
    turned++;
  }
  const found = sessions.length + headers.length;
  return { turned, left: found - turned };
}

/** Null: it does not open here. Whoever wants to use it is told why. */
function openedOr<T>(open: () => T): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}
