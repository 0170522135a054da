/** `crawl`: creates a crawl and stays with it until its end. */
import { loadConfig } from '../../config/config.ts';
import { createdCrawl } from '../../contracts/http/crawls.ts';
import { counted } from '../../domain/counted.ts';
import { maxConcurrency } from '../../domain/pace.ts';
import { judgeSeeds } from '../../domain/seeds.ts';
import type { Api } from '../api/api.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { wholeNumber } from '../arguments.ts';
import { does } from '../verb.ts';
import { changeHost } from '../hosts/host-settings.ts';
import { helpGroups } from './crawl-settings.ts';
import { CommandError, type ExitCode } from '../ending.ts';
import {
  readRequest,
  readRequestLike,
  whatToCrawl,
  type CrawlOptions,
  type CrawlRequest,
} from './request.ts';
import {
  isInterrupted,
  pauseOthers,
  runCrawl,
  runTakes,
  waitingReason,
  type RunOptions,
  type Session,
} from './run.ts';
import { sendRest } from './seeds-file.ts';

export const verbs = [
  does({
    words: 'crawl',
    here: true,
    takes: {
      ...whatToCrawl,
      '--out <file>': { about: runTakes.out, group: helpGroups.output },
      '--json': { about: runTakes.json, group: helpGroups.output },
      '--give-up-after <seconds>': { ...runTakes.giveUpAfter, group: helpGroups.limits },
      '--concurrency <n>': {
        about:
          'requests at a time to each host of the seeds, 1 to 16, for hosts you own; the setting stays with those hosts (default: the setting of the host, else 1)',
        read: wholeNumber(1),
        group: helpGroups.pace,
      },
      '--keep': { about: runTakes.keep, group: helpGroups.instance },
    },
    examples: [
      'https://example.com/',
      'https://example.com/docs/ --scope prefix --max-depth 3 --out docs.jsonl',
      '--seeds seeds.txt --exclude "*.pdf" --exclude "re:[?&]page=[0-9]{3,}" --max-seconds 600 --json',
      'https://example.com/ --out - | jq .title',
      'http://127.0.0.1:8080/ --allow-private 127.0.0.0/8 --delay 0',
    ],
    notes: 'Ctrl-C interrupts the crawl; orbweaver resume goes on with it.',
    run: ({ url: urls, concurrency, ...given }) => crawl(urls, concurrency, given),
  }),
];

/** @param concurrency requests in flight at the hosts of the seeds */
async function crawl(
  urls: readonly string[],
  concurrency: number | undefined,
  options: CrawlOptions & RunOptions,
): Promise<ExitCode> {
  const config = loadConfig();
  const { like } = options;
  if (concurrency !== undefined && concurrency > maxConcurrency)
    throw new CommandError(`--concurrency must be a whole number from 1 to ${String(maxConcurrency)}.`);
  // Everything is checked before anything is started, except what depends on the crawl that `--like` names.
  const early = like === undefined ? await readRequest(urls, options, config.allowPrivate) : null;
  return runCrawl(config, options, async (session) => {
    const request = early ?? (await readRequestLike(session.api, urls, options, config.allowPrivate));
    for (const complaint of request.complaints) session.say(complaint);
    await mentionInterrupted(session);
    if (concurrency !== undefined) session.say(await setConcurrency(session.api, concurrency, request));
    const [created] = await Promise.all([
      session.api.create('/v1/crawls', createdCrawl, JSON.parse(request.body)),
      pauseOthers(session, null),
    ]);
    if (request.rest !== null) {
      session.say(`Crawl ${created.id} has started; the rest of its seeds is being added.`);
      for (const line of await sendRest(session.api, created.id, request.rest)) session.say(line);
    }
    return created.id;
  });
}

async function mentionInterrupted({ api, own, say }: Session): Promise<void> {
  const open = await openCrawls(api);
  const left = open.find((each) => isInterrupted(each) || (own && each.state !== 'paused'));
  if (left === undefined) return;
  const what = left.reason === waitingReason ? 'waited for hosts' : 'was interrupted';
  say(`Crawl ${left.id} ${what}: ./orbweaver resume ${left.id} goes on with it.`);
}

/** Users hardly own more hosts than this. */
const mostHosts = 100;

/**
 * The setting stays with each host until it is taken back. Answers in one sentence what was done.
 * @param concurrency requests in flight at a host, 1 to 16 @throws CommandError if the seeds name too many hosts
 */
export async function setConcurrency(api: Api, concurrency: number, request: CrawlRequest): Promise<string> {
  const origins = originsOf(request);
  for (const origin of origins) await changeHost(api, origin, { concurrency });
  const [first = ''] = origins;
  const more = origins.length === 1 ? '' : ` and ${String(origins.length - 1)} more`;
  return (
    `${first}${more} ${origins.length === 1 ? 'takes' : 'take'} up to ${counted(concurrency, 'request')} at a time from now on; ` +
    `./orbweaver host set ${first} --concurrency default resets that. A host that a seed leads to may not be yours: it gets one request at a time until you set it likewise.`
  );
}

function originsOf({ body, rest }: CrawlRequest): readonly string[] {
  const { seeds } = JSON.parse(body) as { readonly seeds: string | readonly string[] };
  const origins = new Set(
    judgeSeeds(seeds).flatMap(({ canonical }) => (canonical === null ? [] : [canonical.host])),
  );
  if (rest !== null || origins.size > mostHosts)
    throw new CommandError(
      `--concurrency is for hosts you own: the seeds may name at most ${String(mostHosts)} hosts.`,
    );
  return [...origins];
}
