/**
 * The synthetic web as a process of its own. Prints one JSON line when it is up: {"origins","control","clock"}; ends on
 * SIGTERM, SIGINT, or, with --attached, when its standard input closes. The control port answers `GET /__log` (the whole log,
 * one JSON record a line) and `GET /__count` (requests so far).
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { formatLog } from './log.ts';
import { defaultWebOptions, misfits, type Misfit, type WebOptions } from './options.ts';
import { clockStart } from './clock.ts';
import { startWeb, type ListenOptions } from './server.ts';

const flushMs = 100;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    hosts: { type: 'string' },
    pages: { type: 'string' },
    bytes: { type: 'string' },
    links: { type: 'string' },
    'cross-share': { type: 'string' },
    wrinkles: { type: 'string' },
    'crawl-delay': { type: 'string' },
    shells: { type: 'string' },
    sitemap: { type: 'boolean', default: false },
    misfits: { type: 'string', default: '' },
    'latency-ms': { type: 'string' },
    'slow-ms': { type: 'string' },
    'retry-after': { type: 'string' },
    spread: { type: 'string', default: 'ports' },
    'base-port': { type: 'string' },
    warm: { type: 'boolean', default: false },
    log: { type: 'string' },
    attached: { type: 'boolean', default: false },
  },
});

function quantity(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new RangeError(`not a quantity: ${text}`);
  return value;
}

const spreads = ['ports', 'names', 'one-port', 'addresses'] as const;

function misfitNamed(name: string): Misfit {
  const found = misfits.find((misfit) => misfit === name);
  if (found === undefined) throw new RangeError(`no such misfit: ${name}; there are ${misfits.join(', ')}`);
  return found;
}

const options: WebOptions & ListenOptions = {
  seed: quantity(values.seed, defaultWebOptions.seed),
  hosts: quantity(values.hosts, defaultWebOptions.hosts),
  pages: quantity(values.pages, defaultWebOptions.pages),
  bytes: quantity(values.bytes, defaultWebOptions.bytes),
  links: quantity(values.links, defaultWebOptions.links),
  crossShare: quantity(values['cross-share'], defaultWebOptions.crossShare),
  wrinkles: quantity(values.wrinkles, defaultWebOptions.wrinkles),
  crawlDelay: values['crawl-delay'] === undefined ? null : quantity(values['crawl-delay'], 0),
  sitemap: values.sitemap,
  shells: quantity(values.shells, defaultWebOptions.shells),
  misfits: values.misfits.split(',').filter(Boolean).map(misfitNamed),
  latencyMs: quantity(values['latency-ms'], defaultWebOptions.latencyMs),
  slowMs: quantity(values['slow-ms'], defaultWebOptions.slowMs),
  retryAfter: quantity(values['retry-after'], defaultWebOptions.retryAfter),
  spread: spreads.find((spread) => spread === values.spread) ?? 'ports',
  basePort: quantity(values['base-port'], 0),
  held: null,
  warm: values.warm,
};

const web = await startWeb(options);

let flushed = 0;

/** Writes what is new and ended; a request in flight holds back those after it, unless this is the last flush. */
function flush(last: boolean): void {
  const records = web.log();
  let end = flushed;
  while (end < records.length && (last || records[end]?.end !== null)) end++;
  if (values.log !== undefined && end > flushed)
    appendFileSync(values.log, formatLog(records.slice(flushed, end)));
  flushed = end;
}

if (values.log !== undefined) writeFileSync(values.log, '');
setInterval(() => {
  flush(false);
}, flushMs);

const control = createServer((req, res) => {
  flush(false);
  if (req.url === '/__log') res.end(formatLog(web.log()));
  else if (req.url === '/__count') res.end(String(web.log().length));
  else res.writeHead(404).end();
});
await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));

function stop(): void {
  flush(true);
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
if (values.attached) process.stdin.on('end', stop).resume();

const { port } = control.address() as AddressInfo;
process.stdout.write(
  JSON.stringify({ origins: web.origins, control: `http://127.0.0.1:${String(port)}`, clock: clockStart() }) +
    '\n',
);
