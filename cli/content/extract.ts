/** `extract`: rules tried on one page, which a crawl has stored, or which a crawl of one page fetches. */
import { ruleTrial, type RuleTrial } from '../../contracts/http/rule-trial.ts';
import { cutPhrasesOf } from '../../domain/limits.ts';
import { counted } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import { crawlId } from '../arguments.ts';
import { withOnePage } from '../crawl/one-page.ts';
import { readRules } from '../crawl/yaml-file.ts';
import { sayPlainly } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';
import { does } from '../verb.ts';

/** Seconds after which a page is given up. */
const maxSeconds = 120;

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
          ? await withOnePage(
              { url, label: 'extract', settings: { maxSeconds }, options: { ...given, allowPrivate } },
              (page) => {
                sayPlainly(
                  `Crawl ${page.crawlId} has stored the page: with --crawl ${page.crawlId} other rules are tried without a request.`,
                );
                return tried(page.api, page.crawlId, page.url, rules);
              },
            )
          : await withApi(given, (api) => tried(api, crawl, url, rules));
      writeOne(found, json, () => trialLines(found));
    },
  }),
];

const tried = (api: Api, crawlId: string, url: string, rules: object): Promise<RuleTrial> =>
  api.change('POST', `/v1/crawls/${crawlId}/rule-trial`, ruleTrial, { body: { url, rules } });

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
