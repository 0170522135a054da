/** `crawl`: creates a crawl and stays with it until its end. */
import { loadConfig } from '../../config/config.ts';
import { createdCrawl } from '../../contracts/http/crawls.ts';
import { maxConcurrency } from '../../domain/pace.ts';
import { openCrawls } from '../steer/crawl-list.ts';
import { wholeNumber } from '../arguments.ts';
import { does } from '../verb.ts';
import { helpGroups } from './crawl-settings.ts';
import { CommandError, type ExitCode } from '../ending.ts';
import { readRequestLike } from './likeness.ts';
import { readRequest, whatToCrawl, type CrawlOptions } from './request.ts';
import { giveUpOption, jsonOption, keepOption, outOption } from './run-options.ts';
import { isInterrupted, pauseOthers, runCrawl, waitingReason, type RunOptions, type Session } from './run.ts';
import { setConcurrency } from './seed-concurrency.ts';
import { sendRest } from './seeds-file.ts';

export const verbs = [
  does({
    words: 'crawl',
    here: true,
    takes: {
      ...whatToCrawl,
      '--out <file>': { about: outOption, group: helpGroups.output },
      '--json': { about: jsonOption, group: helpGroups.output },
      '--give-up-after <seconds>': { ...giveUpOption, group: helpGroups.limits },
      '--concurrency <n>': {
        about:
          'requests at a time to each host of the seeds, 1 to 16, for hosts you own; the setting stays with those hosts (default: the setting of the host, else 1)',
        read: wholeNumber(1),
        group: helpGroups.pace,
      },
      '--keep': { about: keepOption, group: helpGroups.instance },
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
