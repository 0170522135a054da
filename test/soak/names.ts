/**
 * `npm run soak:names`: a thousand names on one address, as a wildcard in DNS makes them, crawled by two workers of the
 * whole product, by the default cap of an address. Prints the largest number of requests in a second and in flight that
 * the web saw; exits 1 where one is above the cap, where less than two thirds of the cap was used although names waited, or
 * where a page was lost.
 */
import { createServer } from 'node:http';
import { table } from '../../bench/figures.ts';
import type { AuditView } from '../../contracts/http/results.ts';
import { listen } from '../support/loopback.ts';
import { startNameServer } from '../support/name-server.ts';
import { number, script, whole } from '../support/script.ts';
import { mostTogether, mostWithin } from '../web/crowd.ts';
import { openSoakStack } from './stack.ts';

const { names, domains, rate } = script('soak:names', 'Many names on one address, by the cap of the address.')
  .option('--names <count>', 'that the address has', whole(), 1_000)
  .option('--domains <count>', 'registered domains among which the names are split', whole(), 1)
  .option('--rate <count>', 'requests a second that the cap allows', number(0.1), 20)
  .parse()
  .opts<{ names: number; domains: number; rate: number }>();
/** Of each name, beside its robots.txt. */
const pages = 2;
const address = '127.0.0.9';
const answerMs = 30;
/** Share of the cap that is used at least, in a soak that would take `measuredSeconds` or more at the cap. */
const [leastUsed, measuredSeconds] = [2 / 3, 30];

interface Request {
  readonly host: string;
  readonly start: number;
  end: number | null;
}
const log: Request[] = [];
const site = createServer((request, response) => {
  const one: Request = { host: request.headers.host ?? '', start: performance.now(), end: null };
  log.push(one);
  response.on('close', () => (one.end = performance.now()));
  const robots = request.url === '/robots.txt';
  setTimeout(() => {
    response.writeHead(robots ? 404 : 200, { 'content-type': 'text/html' });
    response.end(
      robots ? '' : `<title>${one.host}</title><p>${one.host}${request.url ?? ''}</p><a href="/next">x</a>`,
    );
  }, answerMs);
});
const port = await listen(site, address);
const resolver = await startNameServer(address);
const stack = await openSoakStack(
  {
    ...{ ORBWEAVER_DNS: resolver.address, ORBWEAVER_CAP_PRIVATE: 'on' },
    ORBWEAVER_ADDRESS_RATE: String(rate),
  },
  ['worker', 'worker-2'],
  null,
);
const faults: string[] = [];
try {
  const seeds = Array.from(
    { length: names },
    (_, n) => `http://s${String(n)}.wild${String(n % domains)}.test:${String(port)}/`,
  );
  const id = await stack.start(seeds, { delaySeconds: 0.2 });
  const end = await stack.ended(id, (view) => {
    process.stderr.write(
      `\r${String(log.length)} requests, ${String(view.ledger.done)} of ${String(names * pages)} pages`,
    );
  });
  process.stderr.write('\n');
  const { differences } = (await stack.ask(`/v1/crawls/${id}/audit`)) as AuditView;
  const [second, together] = [mostWithin(log, 1_000), mostTogether(log)];
  if (second > rate || together > rate) faults.push(`more than the cap of ${String(rate)}`);
  if (end.ledger.done !== names * pages || end.ledger.discovered !== names * pages)
    faults.push(`${String(end.ledger.done)} of ${String(names * pages)} pages are done`);
  for (const { check } of differences) faults.push(check);
  const took = ((log.at(-1)?.start ?? 0) - (log[0]?.start ?? 0)) / 1_000;
  if (log.length / rate >= measuredSeconds && log.length / took < leastUsed * rate)
    faults.push(`${(log.length / took).toFixed(1)} requests/s, though the cap allows ${String(rate)}`);
  process.stdout.write(
    `${table([
      ['names', 'requests', 'seconds', 'requests/s', 'most in a second', 'most in flight', 'cap'],
      [
        ...[String(names), String(log.length), took.toFixed(0), (log.length / took).toFixed(1)],
        ...[second, together, rate].map(String),
      ],
    ])}\n`,
  );
} finally {
  await stack.close();
  await resolver.close();
  site.close();
  site.closeAllConnections();
}
for (const fault of faults) process.stdout.write(`✗ ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
