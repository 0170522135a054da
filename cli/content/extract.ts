/** `extract`: rules tried on one page, which a crawl has stored, or which a crawl of one page fetches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../config/config.ts';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { createdCrawl, crawlView, type CrawlView } from '../../contracts/http/crawls.ts';
import { pageView } from '../../contracts/http/results.ts';
import { ruleTrial, type RuleTrial } from '../../contracts/http/rule-trial.ts';
import { cutPhrasesOf } from '../../domain/limits.ts';
import { counted } from '../../domain/counted.ts';
import { stackApi, withApi, type ApiOptions } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import { crawlId } from '../arguments.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { listenForInterrupts } from '../crawl/interrupts.ts';
import { readRequest } from '../crawl/request.ts';
import { readRules } from '../crawl/yaml-file.ts';
import { pauseOthers } from '../crawl/run.ts';
import { takeStack } from '../stack/stack.ts';
import { sayPlainly } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';
import { does } from '../verb.ts';

/** Seconds after which a page is given up, and days after which its crawl is deleted. */
const page = { maxSeconds: 120, retentionDays: 1 };
const lookMs = 500;

export const verbs = [
  does({
    words: 'extract',
    takes: {
      '<url>': 'URL of the page',
      '--rules <file>': { about: 'file with the rules, as YAML or JSON', needed: true },
      '--crawl <id>': { about: 'the crawl that has stored the page', read: crawlId },
      '--allow-private <cidr>': {
        about:
          'without --crawl: blocks of private addresses that may be reached, such as 127.0.0.0/8; may be repeated',
        many: true,
      },
      '--json': 'as JSON',
    },
    examples: [
      'https://shop.example/lamp --rules shop.yaml',
      'https://shop.example/lamp --rules shop.yaml --crawl 3 --json',
    ],
    notes: `A file of rules:
  fields:
    price: {select: .price, type: number}
    tags: {select: .tag, many: true}
  exclude: [.cookie-banner]`,
    run: async ({ url, rules: file, crawl, allowPrivate, json, ...given }) => {
      const rules = await readRules(file);
      const found =
        crawl === undefined
          ? await fetched(url, rules, allowPrivate, given)
          : await withApi(given, (api) => tried(api, crawl, url, rules));
      writeOne(found, json, () => trialLines(found));
    },
  }),
];

const tried = (api: Api, crawlId: string, url: string, rules: object): Promise<RuleTrial> =>
  api.change('POST', `/v1/crawls/${crawlId}/rule-trial`, ruleTrial, { body: { url, rules } });

async function fetched(
  url: string,
  rules: object,
  allowPrivate: readonly string[] | undefined,
  options: ApiOptions,
): Promise<RuleTrial> {
  const config = loadConfig();
  const { body } = await readRequest([url], { allowPrivate }, config.allowPrivate, {
    maxPages: 1,
    maxDepth: 0,
    sitemap: 'skip',
    fresh: true,
    ...page,
  });
  const request = { ...(JSON.parse(body) as object), label: 'extract' };
  if ((options.server ?? config.server ?? null) !== null)
    return withApi(options, (api) => fetchAndTry(api, request, rules, new AbortController().signal));
  const interrupts = listenForInterrupts();
  const signal = interrupts.first;
  try {
    const stack = await takeStack(config, false, sayPlainly, signal);
    try {
      const api = stackApi(stack.info, interrupts.second);
      // Crawls of earlier commands must not go on by themselves.
      await pauseOthers({ api, own: stack.own, say: sayPlainly, signal }, null);
      return await Promise.race([fetchAndTry(api, request, rules, signal), stack.lost]);
    } finally {
      await stack.leave();
    }
  } finally {
    interrupts.release();
  }
}

/** @throws CommandError with the reason if the page could not be had */
async function fetchAndTry(
  api: Api,
  request: object,
  rules: object,
  signal: AbortSignal,
): Promise<RuleTrial> {
  const { id } = await api.create('/v1/crawls', createdCrawl, request);
  const look = (): Promise<CrawlView> => api.get(`/v1/crawls/${id}`, crawlView);
  let view = await look();
  for (; !closedCrawlStates.includes(view.state); view = await look()) {
    await sleep(lookMs, undefined, { signal }).catch(() => {
      throw new CommandError(`Interrupted: crawl ${id} was fetching the page.`, exitCodes.interrupted);
    });
  }
  let [answer, stored] = ['', ''];
  for await (const { url, status, contentHash } of api.list(`/v1/crawls/${id}/pages`, pageView)) {
    answer = `status ${String(status)}`;
    if (contentHash !== null && status !== null && status < 300) stored = url;
  }
  if (stored === '') {
    const { reason, excluded, deadLetters } = view;
    const why = [answer, ...Object.keys(excluded), ...Object.keys(deadLetters)].filter((each) => each !== '');
    throw new CommandError(
      `There is no page to try the rules on: ${why.length > 0 ? why.join(', ') : (reason ?? view.state)}. ./orbweaver explain ${id} URL says more.`,
      exitCodes.failed,
    );
  }
  sayPlainly(`Crawl ${id} has stored the page: with --crawl ${id} other rules are tried without a request.`);
  return tried(api, id, stored, rules);
}

/** Characters of a text that are shown to people. */
const shownText = 300;
const shownLinks = 10;

export function trialLines(trial: RuleTrial): string[] {
  const { url, title, fields, unread, main, words, links, cut, milliseconds } = trial;
  const named = Object.entries(fields ?? {});
  const width = named.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return [
    url,
    ...(title === null ? [] : [`title: ${title}`]),
    fields === null ? 'fields: none' : `fields (${String(milliseconds)} ms):`,
    ...named.map(([name, value]) => `  ${name.padEnd(width)}  ${JSON.stringify(value)}`),
    ...unread.map(({ field, type, text }) => `  ${field}: ${JSON.stringify(text)} is not of type ${type}`),
    `main text, of ${counted(words, 'word', 'words')} of text: ${shortened(main)}`,
    `${counted(links.length, 'link', 'links')} to follow${links.length > shownLinks ? ', the first of them' : ''}:`,
    ...links.slice(0, shownLinks).map((link) => `  ${link}`),
    ...cutPhrasesOf(cut).map((phrase) => `left out: ${phrase}`),
  ];
}

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > shownText ? `${line.slice(0, shownText)} …` : line;
};
