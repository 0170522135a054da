/** `up`: the stack stays up until Ctrl-C. */
import path from 'node:path';
import { loadConfig } from '../../config/config.ts';
import { signInLink } from '../../contracts/http/console.ts';
import { tenantView } from '../../contracts/tenancy.ts';
import { counted } from '../../domain/counted.ts';
import { localApi } from '../api/target.ts';
import { createApi, type Api } from '../api/api.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { endingOf, exitCodes, type ExitCode } from '../ending.ts';
import { aborted, listenForInterrupts } from '../crawl/interrupts.ts';
import { sayPlainly } from '../output/lines.ts';
import { does } from '../verb.ts';
import { writeScrapeFile } from '../stack/scrape-file.ts';
import { start, type KeptMessage, type StartedStack } from '../stack/stack.ts';
import { runningWorkflows } from '../stack/temporal-web.ts';

export const verbs = [
  does({
    words: 'up',
    here: true,
    takes: {
      '--prometheus <file>':
        'serve metrics, and write the file by which Prometheus finds all processes of this stack',
      '--kept': { about: '', hidden: true },
    },
    notes:
      'Examples:\n  orbweaver up\n  orbweaver up --prometheus scrape.yml\n  ORBWEAVER_API_PORT=8080 orbweaver up',
    run: ({ kept, prometheus }) => up(kept, prometheus ?? null),
  }),
];

/**
 * @param prometheus the file for it; null: none is written
 * @param kept true: `crawl --keep` started this, listens until the stack is up, and then goes
 */
async function up(kept: boolean, prometheus: string | null): Promise<ExitCode> {
  const config = loadConfig();
  const interrupts = listenForInterrupts();
  const send = (message: KeptMessage): void => {
    if (process.connected) process.send?.(message);
  };
  const say = kept ? (message: string) => { send({ kind: 'progress', message }); } : sayPlainly; // prettier-ignore
  if (!kept) say('Starting the stack …');
  try {
    const stack = await start({
      config, owner: kept ? 'keep' : 'up', say, signal: interrupts.first, parts: 'all', metrics: prometheus !== null,
    }); // prettier-ignore
    const hastened = aborted(interrupts.second).then(() => stack.stop(true));
    hastened.catch(() => undefined);
    if (prometheus !== null) await writeScrapeFile(path.resolve(prometheus), stack);
    send({ kind: 'up' });
    if (!kept) process.stdout.write(`${(await addresses(stack)).join('\n')}\n`);
    await Promise.race([aborted(interrupts.first), stack.done]);
    say('Stopping the stack. Press Ctrl-C again to stop at once.');
    await stack.stop();
    return exitCodes.ok;
  } catch (error) {
    send({ kind: 'failed', message: endingOf(error).message });
    if (interrupts.first.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    interrupts.release();
    if (process.connected) process.disconnect();
  }
}

async function addresses(stack: StartedStack): Promise<string[]> {
  return [
    ...stack.movedPorts.map(
      ({ what, usual, port }) => `Port ${String(usual)} is taken: ${what} is at ${String(port)}.`,
    ),
    `API           ${stack.apiUrl ?? 'none'}`,
    `API docs      ${stack.apiUrl ?? 'none'}/docs/`,
    ...keyLines(stack),
    ...(await consoleLines(stack)),
    `Temporal Web  ${runningWorkflows(stack) ?? 'not part of this stack'}`,
    ...metricsLines(stack),
    `Data          ${stack.dataDir}`,
    ...(stack.apiUrl === null ? [] : await crawlLines(createApi(localApi(stack.apiUrl, stack.localKey.key)))),
    'Ctrl-C stops the stack.',
  ];
}

/** The link signs in once; the address without it asks for a key. */
async function consoleLines({ apiUrl, localKey }: StartedStack): Promise<string[]> {
  if (apiUrl === null) return [];
  const link = await createApi(localApi(apiUrl, localKey.key)).change(
    'POST',
    '/v1/sign-in-links',
    signInLink,
  );
  return [`Console       ${link.url} (signs in once, within ten minutes)`];
}

const metricsLines = ({ metricsPorts = {}, apiUrl }: StartedStack): string[] =>
  Object.entries(metricsPorts).map(
    ([name, port], at) =>
      `${at === 0 ? 'Metrics' : '       '}       http://127.0.0.1:${String(port)}/metrics (${name}${name === 'api' ? `; totals: ${String(apiUrl)}/metrics, with a key` : ''})`,
  );

/** The key of the data folder sees the crawls of the first tenant: the lines say if there are other tenants. */
export async function crawlLines(api: Api): Promise<string[]> {
  const open = await openCrawls(api);
  const going = open.filter(({ state }) => state !== 'paused').map(({ id }) => id);
  const paused = open.filter(({ state }) => state === 'paused').map(({ id }) => id);
  let others = -1;
  for await (const { closedAt } of api.list('/v1/tenants', tenantView, { limit: 1_000 }))
    others += Number(closedAt === null);
  return [
    ...(going.length > 0 ? [`Running crawls:  ${going.join(', ')}`] : []),
    ...(paused.length > 0 ? [`Paused crawls:  ${paused.join(', ')}`] : []),
    ...(others > 0 ? [`The crawls of ${counted(others, 'other tenant')} are not listed here.`] : []),
  ];
}

/** Shows the key itself only when it is new. */
function keyLines({ apiUrl, config, localKey }: StartedStack): string[] {
  if (apiUrl === null) return [];
  const open = isLoopback(config.apiHost)
    ? 'On this machine only: ORBWEAVER_API_HOST opens the API to others.'
    : 'Open to other machines: put TLS in front of the API.';
  const key = localKey.made
    ? `${localKey.key} (shown only once; kept in ${localKey.file})`
    : `in ${localKey.file}`;
  return [`              ${open}`, `Admin key     ${key}`];
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
