/** `fetch`: one page as text, from the archive or fetched for it. */
import { z } from 'zod';
import {
  fetchedPage,
  fetchFormats,
  waitingFetch,
  type FetchedPage,
  type WaitingFetch,
} from '../../contracts/http/fetch.ts';
import { grouped } from '../../domain/counted.ts';
import { renderModes } from '../../domain/rendering/mode.ts';
import type { Api } from '../api/api.ts';
import { withApi } from '../api/target.ts';
import { crawlableUrl, wholeNumber } from '../arguments.ts';
import { readRules } from '../crawl/yaml-file.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { does } from '../verb.ts';

/** Seconds that one request waits, and that its answer may take beyond. */
const [oneWait, beyond] = [60, 60];

export const verbs = [
  does({
    words: 'fetch',
    takes: {
      '<url>': { about: 'URL of the page', read: crawlableUrl },
      '--format <format>': { about: 'what to write', choices: fetchFormats, usual: 'markdown' },
      '--main': 'the main text alone, without what surrounds it',
      '--max-age <seconds>': {
        about: 'a visit that is not older will do; 0: ask the host anew; 3600 if not given',
        read: wholeNumber(0),
      },
      '--render <mode>': { about: 'whether a browser renders the page', choices: renderModes, usual: 'auto' },
      '--rules <file>': 'take fields from the page by the rules in this file, as YAML or JSON; for --json',
      '--wait <seconds>': { about: 'wait this long at most', read: wholeNumber(0), usual: 300 },
      '--json': 'the whole answer as JSON',
    },
    examples: [
      'https://example.com/',
      'https://example.com/ --format text --main --max-age 0',
      'https://shop.example/lamp --rules shop.yaml --json',
    ],
    run: async ({ url, format, main, maxAge, render, rules: file, wait, json, ...given }) => {
      if (file !== undefined && !json) throw new CommandError('--rules is for --json.');
      const rules = file === undefined ? null : await readRules(file);
      const part = main ? 'main' : 'page';
      const body = {
        url,
        format,
        part,
        render,
        rules,
        ...(maxAge !== undefined && { maxAgeSeconds: maxAge }),
      };
      const answer = await withApi(given, (api) => answerOf(api, body, wait), 'all');
      if (!('content' in answer))
        throw new CommandError(
          `The page is not there yet: ${answer.waiting.because} The fetch goes on in crawl ${answer.crawlId}.`,
          exitCodes.waiting,
        );
      if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
      else write(answer);
    },
  }),
];

const anyAnswer = z.union([fetchedPage, waitingFetch]);

async function answerOf(api: Api, body: object, wait: number): Promise<FetchedPage | WaitingFetch> {
  const deadline = performance.now() + wait * 1_000;
  const waitSeconds = (): number =>
    Math.max(0, Math.min(oneWait, Math.ceil((deadline - performance.now()) / 1_000)));
  const withinMs = (oneWait + beyond) * 1_000;
  const first = { ...body, waitSeconds: waitSeconds() };
  let answer = await api.change('POST', '/v1/fetch', anyAnswer, { body: first, withinMs });
  while (!('content' in answer) && performance.now() < deadline)
    answer = await api.get(`/v1/fetch/${answer.id}`, anyAnswer, { waitSeconds: waitSeconds() }, { withinMs });
  return answer;
}

function write({ content, leftOut, page, crawlId }: FetchedPage): void {
  const { status, contentType, url } = page;
  if (status !== null && status >= 400) sayPlainly(`The host has answered ${String(status)}.`);
  if (content === null) {
    const why = `The page has no text (${contentType ?? 'no content type'}).`;
    throw new CommandError(`${why} ./orbweaver body ${crawlId} ${url} writes its bytes.`, exitCodes.failed);
  }
  process.stdout.write(content.endsWith('\n') ? content : `${content}\n`);
  if (leftOut > 0) sayPlainly(`${grouped(leftOut)} bytes at its end are left out.`);
}
