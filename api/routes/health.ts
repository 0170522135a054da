/** For supervisors: is the process up (healthz), and can the instance work (readyz)? */
import { z } from 'zod';
import { controlPresence, type ControlPresence } from '../../storage/instance/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { sendProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { answered, route } from './route.ts';

/** Free bytes below which Postgres cannot write: a few segments of its log. */
const leastFreeBytes = 64 * 1024 ** 2;

const status = z.object({ status: z.string() });

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    access: 'public',
    id: 'health',
    summary: 'Is the process up?',
    answers: { 200: json('The process is up.', status) },
    handler: () => () => ({ status: 'up' }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    access: 'public',
    id: 'readiness',
    summary: 'Do Postgres and Temporal answer?',
    answers: {
      200: json('Both answer.', status),
      503: fails('Postgres or Temporal does not answer, or no control worker is at work.'),
    },
    handler: (parts) => {
      /** Requests that come meanwhile share this look: anybody may ask, as often as they like. */
      let looking: Promise<string | null> | null = null;
      return async ({ response }) => {
        looking ??= whatIsWrong(parts).finally(() => (looking = null));
        const wrong = await looking;
        if (wrong === null) return { status: 'ready' };
        sendProblem(response, 503, `Not ready: ${wrong}.`);
        return answered;
      };
    },
  }),
];

/** Null: nothing is wrong. */
async function whatIsWrong({ pool, control, freeBytes }: Dependencies): Promise<string | null> {
  // Reads a table, not only the server: the schema may not be there yet.
  const [workers, temporal] = await Promise.allSettled([controlPresence(pool), control.ping()]);
  const away = [
    ...(workers.status === 'rejected' ? ['Postgres'] : []),
    ...(temporal.status === 'rejected' ? ['Temporal'] : []),
  ];
  const free = await freeBytes();
  const full = `the disk that holds the bodies is full: ${String(Math.floor(free / 1024 ** 2))} MB are left`;
  // A full disk may be the reason why another part is away.
  const wrong = [
    ...(away.length > 0 ? [`no answer from ${away.join(' and ')}`] : []),
    ...(free < leastFreeBytes ? [full] : []),
  ];
  if (wrong.length > 0) return wrong.join('; ');
  const [presence] = workers.status === 'fulfilled' ? workers.value : [];
  return presence === undefined ? null : workerTrouble(presence);
}

/** With so many control workers lost within two minutes, and none that stays, the workers count as crashing. */
const crashes = 3;

function workerTrouble({ present, steady, lost }: ControlPresence): string | null {
  if (steady === 0 && lost >= crashes)
    return `control workers keep ending, ${String(lost)} within two minutes; their log says why`;
  return present === 0 ? 'no control worker is at work' : null;
}
