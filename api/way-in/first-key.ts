/**
 * Nobody gets in without a key, and keys are made through the API. So the API makes the first key at its first start
 * and shows it once, or the people who run this instance bring one (ORBWEAVER_ADMIN_KEY). The embedded stack makes its
 * own key earlier.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptAdminKey, makeFirstKey } from '../../storage/tenancy/index.ts';
import type { Dependencies } from '../dependencies.ts';

const retryMs = 2_000;

/**
 * Tries until a key is provided, or until the returned function is called.
 * @param brought null: a key is made if there is none
 * @param tell is called with a key that was made; nobody can read that key again
 */
export function provideFirstKey(
  { pool, log }: Pick<Dependencies, 'pool' | 'log'>,
  brought: string | null,
  tell: (key: string) => void,
): () => Promise<void> {
  const ended = new AbortController();
  const provide = async (): Promise<void> => {
    if (brought === null) {
      const made = await makeFirstKey(pool, 'first key');
      if (made !== null) tell(made);
    } else if (!(await adoptAdminKey(pool, brought, 'ORBWEAVER_ADMIN_KEY'))) {
      log.warn('the key in ORBWEAVER_ADMIN_KEY was revoked and is not accepted; set another key');
    }
  };
  const providing = (async () => {
    while (!ended.signal.aborted) {
      try {
        await provide();
        return;
      } catch (error) {
        log.debug({ err: error }, 'the first key cannot be read or made yet');
        await sleep(retryMs, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
  })();
  return () => {
    ended.abort();
    return providing;
  };
}
