/**
 * `npm run chaos`: a crawl of a seeded web through a seeded plan of faults, judged by the web's own log. Prints the
 * figures; exits 1 when one is off, with the requests that show it and all faults. At most ten minutes.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { list, number, oneOf, script, whole } from '../support/script.ts';
import { formatLog } from '../web/log.ts';
import { evidenceOf, figuresTable } from './report.ts';
import { faultKinds, type FaultKind } from './plan.ts';
import { runChaos } from './run.ts';

const values = script('chaos', 'A crawl through a seeded plan of faults, judged by the log of the web.')
  .option(
    '--seed <number>',
    'brings the same web and the same plan of faults back; the time unless given',
    whole(0, 2 ** 31),
    Math.floor(Date.now() / 1_000) % 1_000_000,
  )
  .option('--seconds <count>', 'how long faults strike', whole(5, 240), 150)
  .option('--hosts <count>', 'that behave well', whole(1, 1_000), 5)
  .option('--delay <seconds>', 'between two requests of a host', number(0.1, 10), 0.4)
  .option('--once', 'fetch each page once, instead of keeping the hosts that behave well fresh meanwhile')
  .option(
    '--only <kinds>',
    `faults that strike instead of all: ${faultKinds.join(', ')}`,
    list(oneOf(faultKinds)),
  )
  .option(
    '--log <file>',
    "where the web's log is kept, one request a line; kept in any case if a figure is off",
  )
  .parse()
  .opts<{
    seed: number;
    seconds: number;
    hosts: number;
    delay: number;
    once?: true;
    only?: readonly FaultKind[];
    log?: string;
  }>();
const { seed, seconds, hosts, delay: crawlDelay, only: kinds = faultKinds } = values;
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
  freshSeconds: values.once === true ? null : 15,
  signal: interrupted.signal,
  web: {
    hosts,
    pages,
    wrinkles: 2,
    shells: 14,
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
const isOff = result.figures.some(({ ok }) => !ok);
// Faults strike at other moments in each run, so a log that shows what is off cannot be had again.
const log = values.log ?? (isOff ? path.join(tmpdir(), `orbweaver-chaos-${String(seed)}.log`) : null);
if (log !== null) writeFileSync(log, formatLog(result.records));
for (const line of result.skipped) process.stdout.write(`skipped ${line}\n`);
const struck = result.strikes.filter(({ hit }) => hit).length;
const atPage = (kind: FaultKind): string =>
  `${String(result.strikes.filter((strike) => strike.atPage && strike.fault.kind === kind).length)} ${kind}`;
process.stdout.write(
  `${String(struck)} faults, of them while a page was with the browser ${atPage('render')} and ${atPage('disk')}; the crawl ended ${(result.finishedAfterMs / 1_000).toFixed(0)} s after the last, ` +
    `the run took ${((performance.now() - began) / 1_000).toFixed(0)} s\n${figuresTable(result.figures)}\n`,
);
if (isOff) {
  process.stdout.write(
    `${evidenceOf(result.figures, result.strikes)}\nseed ${String(seed)} brings this plan back; the web's log is ${String(log)}\n`,
  );
  process.exitCode = 1;
}
