/**
 * `npm run chaos`: a crawl of a seeded web through a seeded plan of faults, judged by the web's own log. Prints the
 * figures; exits 1 when one is off, with the requests that show it and all faults. At most ten minutes.
 */
import { parseArgs } from 'node:util';
import { writeFileSync } from 'node:fs';
import { formatLog } from '../web/log.ts';
import { evidenceOf, figuresTable } from './report.ts';
import { faultKinds, type FaultKind } from './plan.ts';
import { runChaos } from './run.ts';

const help = `Usage: npm run chaos -- [--seed N] [--seconds N] [--hosts N] [--delay S] [--once] [--only KINDS] [--log FILE]

  --seed N      Brings the same web and the same plan of faults back. Default: the time.
  --seconds N   How long faults strike, 5 to 240. Default: 150.
  --hosts N     Well-behaved hosts, 1 to 1000. Default: 5.
  --delay S     Seconds between two requests of a host, 0.1 to 10. Default: 0.4.
  --once        Each page is fetched once. Without it the well-behaved hosts are kept fresh meanwhile.
  --only KINDS  Comma-separated: ${faultKinds.join(', ')}. Default: all.
  --log FILE    Where the web's log is kept, one request a line.
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '150' },
    hosts: { type: 'string', default: '5' },
    delay: { type: 'string', default: '0.4' },
    only: { type: 'string', default: faultKinds.join(',') },
    log: { type: 'string' },
    once: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const whole = (text: string, least: number, most: number): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RangeError(`not a whole number from ${String(least)} to ${String(most)}: ${text}`);
  return value;
};
const kindNamed = (name: string): FaultKind => {
  const kind = faultKinds.find((known) => known === name);
  if (kind === undefined)
    throw new RangeError(`no fault is called ${name}; there are ${faultKinds.join(', ')}`);
  return kind;
};

const seed = whole(values.seed ?? String(Math.floor(Date.now() / 1_000) % 1_000_000), 0, 2 ** 31);
const seconds = whole(values.seconds, 5, 240);
const kinds = values.only.split(',').map(kindNamed);
const hosts = whole(values.hosts, 1, 1_000);
const crawlDelay = Number(values.delay);
if (!(crawlDelay >= 0.1 && crawlDelay <= 10))
  throw new RangeError(`not a delay of 0.1 to 10 s: ${values.delay}`);
/** Half of the requests that would fit into the faults' time: there is work to do to the end of them. */
const pages = Math.max(20, Math.round((seconds / crawlDelay) * 0.5));

process.stdout.write(`seed ${String(seed)}, ${String(seconds)} s of ${kinds.join(', ')}\n`);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort();
  });
}
const began = performance.now();
const result = await runChaos({
  seed,
  seconds,
  kinds,
  crawlDelay,
  finishSeconds: 300,
  freshSeconds: values.once ? null : 15,
  signal: interrupted.signal,
  web: {
    hosts,
    pages,
    wrinkles: 2,
    latencyMs: 20,
    slowMs: 1_200,
    retryAfter: 20,
    misfits: [
      'slow',
      'patient',
      'patient',
      'patient',
      'busy',
      'limited',
      'limited',
      'limited',
      'limited',
      'flaky',
      'reluctant',
      'failing',
      'refused',
      'unruly',
      'hang',
      'endless',
      'huge',
      'bomb',
      'header',
      'nested',
      'carousel',
      'calendar',
      'reset',
      'garbage',
    ],
  },
  tell: (line) => process.stdout.write(`${line}\n`),
}).catch((error: unknown) => {
  if (!interrupted.signal.aborted) throw error;
  process.stdout.write('interrupted; everything that was started has ended\n');
  process.exit(130);
});
if (values.log !== undefined) writeFileSync(values.log, formatLog(result.records));
for (const line of result.skipped) process.stdout.write(`skipped ${line}\n`);
const struck = result.strikes.filter(({ hit }) => hit).length;
process.stdout.write(
  `${String(struck)} faults; the crawl ended ${(result.finishedAfterMs / 1_000).toFixed(0)} s after the last, ` +
    `the run took ${((performance.now() - began) / 1_000).toFixed(0)} s\n${figuresTable(result.figures)}\n`,
);
if (result.figures.some(({ ok }) => !ok)) {
  process.stdout.write(
    `${evidenceOf(result.figures, result.strikes)}\nseed ${String(seed)} brings this plan back\n`,
  );
  process.exitCode = 1;
}
