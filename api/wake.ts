/** Tells the workflow of a host that something has changed for it. */
import type { Dependencies } from './dependencies.ts';

/** A change holds in any case: a host whose workflow sleeps and could not be woken sees the change when it wakes up. */
export const wake = ({ wakeHost, log }: Dependencies, origin: string): Promise<boolean> =>
  wakeHost(origin).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error, host: origin }, 'the workflow of a host could not be woken');
      return false;
    },
  );
