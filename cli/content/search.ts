/** `search` and `index`: pages by their texts. */
import {
  searchAnswer,
  searchIndexView,
  type HitView,
  type SearchAnswerView,
  type SearchIndexView,
} from '../../contracts/http/search.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import { oneCrawl, wholeNumber } from '../arguments.ts';
import { printable, writeLines, writeOne } from '../output/table.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'search',
    takes: {
      '<words...>':
        'words that must be there, "phrases in quotes" (quote them once more for the shell), and -words that must not, after --',
      '--crawl <id>': {
        about: 'search this crawl only; may be repeated (default: all that are indexed)',
        many: true,
      },
      '--host <origin>': 'only pages of this host, such as https://example.com',
      '--language <code>': 'only pages in this language, such as en',
      '--status <status>': 'only pages with this status, or with a status of this class, such as 200 or 2xx',
      '--type <media type>': 'only pages of this media type, such as text/html or text/*',
      '--since <instant>': 'only pages answered at this instant or later, such as 2031-01-01T00:00:00Z',
      '--until <instant>': 'only pages answered before this instant',
      '--limit <n>': { about: 'show at most this many pages, up to 50', read: wholeNumber(1), usual: 10 },
      '--json': 'as JSON, one object a line',
    },
    examples: [
      'durable crawler',
      '--crawl 3 \'"robots exclusion protocol"\'',
      '--language de --json -- Spinne -Netz',
    ],
    run: async ({ words, crawl, host, language, status, type, since, until, limit, json, ...given }) => {
      const query = {
        q: words.join(' '),
        host,
        language,
        status,
        contentType: type,
        since,
        until,
        limit,
        crawl: crawl?.join(','),
      };
      const answer = await withApi(given, (api) => api.get('/v1/search', searchAnswer, query));
      writeLines(
        json ? answer.items.map((item) => JSON.stringify(item)) : answerLines(answer, process.stdout.isTTY),
      );
    },
  }),
  does({
    words: 'index',
    takes: {
      ...oneCrawl,
      '--look': 'only show whether the crawl is indexed, and how far',
      '--json': 'as JSON',
    },
    examples: ['3', '3 --look'],
    run: async ({ id, look, json, ...given }) => {
      const path = `/v1/crawls/${id}/search/index`;
      const view = await withApi(given, (api) =>
        look ? api.get(path, searchIndexView) : api.change('POST', path, searchIndexView, { body: {} }),
      );
      writeOne(view, json, () => [indexLine(id, view)]);
    },
  }),
];

/** Why there may be more than an answer has; null: nothing is missing. */
function stillMissing({ crawls, building }: SearchAnswerView): string | null {
  if (crawls === 0)
    return 'No crawl is indexed for searches: orbweaver index ID has one indexed, and crawl --search a new one.';
  if (building.length === 0) return null;
  const which = `${building.length === 1 ? 'crawl' : 'crawls'} ${building.join(', ')}`;
  return `The index of ${which} is still being made: there may be more.`;
}

export function answerLines(answer: SearchAnswerView, bold: boolean): string[] {
  const { items, found, complete, crawls } = answer;
  const missing = stillMissing(answer);
  const more = missing === null ? [] : [missing];
  if (items.length === 0) return crawls === 0 ? more : ['No page has all of that.', ...more];
  const count = `${complete ? '' : 'at least '}${counted(found, 'page')}`;
  return [
    ...items.flatMap((item) => [...hitLines(item, bold), '']),
    `${count} found${found > items.length ? `, the best ${grouped(items.length)} are shown` : ''}.`,
    ...more,
  ];
}

function hitLines({ title, url, crawlId, language, fetchedAt, snippet }: HitView, bold: boolean): string[] {
  const text = snippet
    .map((part) => {
      const shown = printable(part.text.replace(/\s+/g, ' '));
      if (!part.hit) return shown;
      return bold ? `\u001b[1m${shown}\u001b[22m` : `*${shown}*`;
    })
    .join('');
  const about = [`crawl ${crawlId}`, ...(language === null ? [] : [language]), fetchedAt.slice(0, 10)];
  return [printable(title ?? url), `  ${printable(url)}  (${about.join(', ')})`, `  ${text.trim()}`];
}

function indexLine(id: string, { state, looked, lost }: SearchIndexView): string {
  const states = {
    none: `Crawl ${id} is not indexed for searches; orbweaver index ${id} has it indexed.`,
    building: `Crawl ${id} is being indexed: ${counted(looked, 'answered URL')} looked at so far.`,
    dropped: `Crawl ${id} is removed.`,
    ready: `Crawl ${id} is indexed: ${counted(looked, 'answered URL')} looked at.`,
  };
  const gone = lost === 0 ? '' : ` Of ${counted(lost, 'page')} the stored body is gone.`;
  return states[state] + gone;
}
