/** Caps on addresses and domains, which an operator sets over the process settings. */
import { capList, capPath, capQuery, capView, defaultCapLimit, newCap } from '../../contracts/http/caps.ts';
import { readCapName } from '../../engine/caps/cap-name.ts';
import { one } from '../../storage/postgres/index.ts';
import { clearCap, listCaps, setCap } from '../../storage/caps/index.ts';
import { instance } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
import { route } from './route.ts';

const ofOperators = { access: instance('operator', 'hosts') } as const;

function nameIn(text: string, status: 400 | 422): string {
  const read = readCapName(text);
  if (read.ok) return read.domain;
  throw new HttpProblem(status, `${JSON.stringify(text.slice(0, 100))} ${read.problem}.`);
}

export const capRoutes = [
  route({
    method: 'GET',
    path: '/v1/caps',
    ...ofOperators,
    id: 'listCaps',
    summary: 'Caps that were set for addresses and domains, by name',
    query: capQuery,
    answers: { 200: json('Caps.', capList) },
    handler:
      ({ pool }) =>
      async ({ query: { cursor = null, limit = defaultCapLimit } }) => {
        const items = await listCaps(pool, cursor, limit);
        return { items, next: items.length < limit ? null : (items.at(-1)?.name ?? null) };
      },
  }),
  route({
    method: 'POST',
    path: '/v1/caps',
    ...ofOperators,
    id: 'setCap',
    summary: 'Set the cap of an address or a domain; it takes effect within two seconds',
    body: newCap,
    answers: { 200: json('The cap as it is now.', capView) },
    handler:
      ({ pool, log }) =>
      async ({ body: { name: text, rate, inFlight = null }, response }) => {
        const name = nameIn(text, 422);
        const row = await one(setCap(pool, name, rate, inFlight));
        log.info({ cap: name, rate, inFlight }, 'a cap was set');
        noteForAudit(
          response,
          `${name}: ${rate === null ? 'no cap' : `${String(rate)} requests per second`}`,
        );
        return row;
      },
  }),
  route({
    method: 'DELETE',
    path: '/v1/caps/{name}',
    ...ofOperators,
    id: 'clearCap',
    summary: 'Take back the cap of an address or a domain; the process settings hold again',
    params: capPath,
    answers: {
      200: json('The cap as it was.', capView),
      400: fails('The path names neither an address nor a registered domain.'),
      404: fails('No cap was set for the address or domain.'),
    },
    handler:
      ({ pool, log }) =>
      async ({ params: { name: text } }) => {
        const name = nameIn(text, 400);
        const [row] = await clearCap(pool, name);
        if (row === undefined) throw new HttpProblem(404, `No cap was set for ${name}.`);
        log.info({ cap: name }, 'a cap was taken back');
        return row;
      },
  }),
];
