/** For supervisors: is the process up (healthz), and can the instance work (readyz)? */
import { Router } from 'express';
import { controlPresence, type ControlPresence } from '../../storage/statements/control-presence.ts';
import type { Dependencies } from '../dependencies.ts';
import { methodNotAllowed, sendProblem } from '../way-in/problem.ts';

/** Less than Postgres needs to write on: a few segments of its log. */
const leastFreeBytes = 64 * 1024 ** 2;

export function healthRoutes({ pool, control, freeBytes }: Dependencies): Router {
  /** Null: nothing is wrong. */
  const whatIsWrong = async (): Promise<string | null> => {
    // A table, not only the server: the schema may still be on its way.
    const [workers, temporal] = await Promise.allSettled([controlPresence(pool), control.ping()]);
    const away = [
      ...(workers.status === 'rejected' ? ['Postgres'] : []),
      ...(temporal.status === 'rejected' ? ['Temporal'] : []),
    ];
    const free = await freeBytes();
    const full = `the disk of the bodies is full: ${String(Math.floor(free / 1024 ** 2))} MB are left`;
    // What is away may be so since its disk is full.
    const wrong = [
      ...(away.length > 0 ? [`no answer from ${away.join(' and ')}`] : []),
      ...(free < leastFreeBytes ? [full] : []),
    ];
    if (wrong.length > 0) return wrong.join('; ');
    const [presence] = workers.status === 'fulfilled' ? workers.value : [];
    return presence === undefined ? null : workerTrouble(presence);
  };
  /** Whoever asks meanwhile is answered by it: anybody may ask, as often as they like. */
  let looking: Promise<string | null> | null = null;
  const router = Router();
  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'up' });
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/readyz')
    .get(async (_request, response) => {
      looking ??= whatIsWrong().finally(() => (looking = null));
      const wrong = await looking;
      if (wrong === null) response.json({ status: 'ready' });
      else sendProblem(response, 503, `Not ready: ${wrong}.`);
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** Control workers lost within two minutes, with none that stays, after which they are said to crash. */
const crashes = 3;

function workerTrouble({ present, steady, lost }: ControlPresence): string | null {
  if (steady === 0 && lost >= crashes)
    return `control workers end again and again, ${String(lost)} within two minutes; their log says why`;
  return present === 0 ? 'no control worker is at work' : null;
}
