/** `crawls`, `pause` and `cancel`: crawls listed, started without waiting for them, steered, and deleted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedCrawlStates, standsAs } from '../../contracts/crawl.ts';
import { crawlRemoval, crawlStateAnswer, createdCrawl, crawlView } from '../../contracts/http/crawls.ts';
import { counted } from '../../domain/counted.ts';
import type { Api } from '../api/api.ts';
import { RefusedError } from '../api/request.ts';
import { anyApi } from '../api/target.ts';
import { oneCrawl, wholeNumber } from '../arguments.ts';
import { helpGroups } from '../crawl/crawl-settings.ts';
import { readRequest, readRequestLike, whatToCrawl } from '../crawl/request.ts';
import { sendRest } from '../crawl/seeds-file.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { writeMade, writeOne } from '../output/table.ts';
import { asks, does, type Verb } from '../verb.ts';
import { crawlSummary, mostPerPage, shownCrawls } from './crawl-list.ts';

/** The settings of the server decide whether private addresses may be reached. */
const judgedThere = ['0.0.0.0/0', '::/0'];

const controls = {
  pause: 'Pause a crawl. Requests in flight are finished, and no URL is lost.',
  cancel: 'Cancel a crawl for good. URLs that are still queued are not fetched.',
  resume: 'Resume a paused crawl, without waiting for its end.',
} as const;

/** The verb `resume` goes on with an interrupted crawl of this machine, and shows it. */
const places = ['pause', 'crawls pause', 'cancel', 'crawls cancel', 'crawls resume'] as const;

const controlVerbs = places.map((words): Verb => {
  const control = words.replace('crawls ', '') as keyof typeof controls;
  return asks({
    words,
    summary: controls[control],
    takes: {
      ...oneCrawl,
      '--reason <text>': 'why; shown to people who look at the crawl later',
      '--json': 'as JSON',
    },
    examples: ['3 --reason "their mail of 3 May"'],
    needs: 'all',
    route: `POST /v1/crawls/{id}/${control}`,
    body: ({ reason }) => ({ reason }),
    answer: crawlStateAnswer,
    print: ({ id, state, reason }) => [
      `Crawl ${id} ${standsAs(state)}${reason === null ? '' : ` (${reason})`}.`,
    ],
  });
});

export const verbs = [
  asks({
    words: 'crawls list',
    summary: 'List the crawls, the latest first.',
    takes: {
      '--state <states>': 'only crawls in these states, such as running,paused',
      '--limit <n>': { about: 'crawls to list at most', read: wholeNumber(1), usual: 100 },
      '--json': 'as JSON, one object a line',
    },
    examples: ['', '--limit 5 --json'],
    route: 'GET /v1/crawls',
    query: ({ state }) => ({ state }),
    perPage: mostPerPage,
    most: ({ limit }) => limit,
    answer: crawlSummary,
    print: shownCrawls,
  }),
  does({
    words: 'crawls start',
    summary: 'Start a crawl on a running stack, without waiting for its end.',
    takes: {
      ...whatToCrawl,
      '--label <text>': { about: 'name of the crawl, for people', group: helpGroups.output },
      '--id': { about: 'write only the id, for scripts', group: helpGroups.output },
      '--json': { about: 'as JSON', group: helpGroups.output },
    },
    examples: ['https://example.com/ --max-pages 500', '--seeds seeds.txt --label "the nightly one" --json'],
    run: async ({ url: urls, label, ...given }) => {
      const early = given.like === undefined ? await readRequest(urls, given, judgedThere) : null;
      const api = await anyApi(given);
      const { body, complaints, rest } = early ?? (await readRequestLike(api, urls, given, judgedThere));
      for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
      const wanted = { ...(JSON.parse(body) as object), ...(label !== undefined && { label }) };
      const created = await api.create('/v1/crawls', createdCrawl, wanted);
      const told = rest === null ? [] : await sendRest(api, created.id, rest);
      for (const line of told) process.stderr.write(`${line}\n`);
      writeMade(created, given, () => [
        `Crawl ${created.id} is started with ${counted(created.accepted, 'seed')}${created.rejectedCount === 0 ? '' : `; ${counted(created.rejectedCount, 'seed')} cannot be crawled`}.`,
        `  orbweaver status ${created.id} shows where it stands.`,
      ]);
    },
  }),
  does({
    words: 'crawls delete',
    summary:
      'Delete a crawl that is over, together with its pages, events, dead letters, and every body that no other crawl uses.',
    takes: { ...oneCrawl, '--force': 'cancel the crawl first if it is not over', '--json': 'as JSON' },
    examples: ['3', '3 --force'],
    run: async ({ id, force, json, ...given }) => {
      const api = await anyApi(given);
      const path = `/v1/crawls/${id}`;
      if (force) await endCrawl(api, path);
      await removeCrawl(api, path);
      writeOne({ id, deleted: true }, json, () => [`Crawl ${id} is deleted.`]);
    },
  }),
  ...controlVerbs,
];

/** Milliseconds between two looks at a deletion, and for which a crawl may take to end. */
const lookMs = 1_000;
const endingMs = 120_000;

/** Waits until nothing is left of the crawl. */
async function removeCrawl(api: Api, path: string): Promise<void> {
  let left: number | null = null;
  for (;;) {
    const answer = await api.change('DELETE', path, crawlRemoval).catch((error: unknown) => {
      // The crawl is unknown after its deletion began: the deletion is done.
      if (left !== null && error instanceof RefusedError && error.status === 404) return null;
      throw error;
    });
    if (answer === null) break;
    if (left !== null)
      process.stderr.write(`${counted(answer.urls, 'URL is', 'URLs are')} still to be removed.\n`);
    left = answer.urls;
    await sleep(lookMs);
  }
}

/** Cancels a crawl that is not over, and waits for its end. @throws CommandError */
async function endCrawl(api: Api, path: string): Promise<void> {
  const deadline = performance.now() + endingMs;
  for (let asked = false; ;) {
    const { state } = await api.get(path, crawlView);
    if (closedCrawlStates.includes(state)) return;
    if (!asked && state !== 'draining') {
      await api.change('POST', `${path}/cancel`, crawlStateAnswer, { body: { reason: 'deleted' } });
      asked = true;
    }
    if (performance.now() > deadline)
      throw new CommandError('The crawl was cancelled and has not ended yet; try again.', exitCodes.failed);
    await sleep(lookMs);
  }
}
