/**
 * Without a key nobody gets in, and keys are made through the API. So the first key is made at the first start and told
 * once, or the people who run this instance bring one (ORBWEAVER_ADMIN_KEY). The embedded stack makes a key of its own
 * earlier.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptAdminKey, makeFirstKey } from '../../storage/tenancy/index.ts';
import type { Dependencies } from '../dependencies.ts';

const retryMs = 2_000;

/**
 * Tries again until it has worked once, or until the returned function is called.
 * @param brought null: a key is made if there is none
 * @param tell gets the key that was made, which nobody can be told again
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
