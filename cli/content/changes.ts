/** `changes` and `diff`: which pages changed since they were fetched before, and how. */
import type { z } from 'zod';
import {
  changeItem,
  changeList,
  pageDiff,
  pageVersionList,
  type ChangeItem,
  type PageDiff,
} from '../../contracts/http/changes.ts';
import { counted } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import { oneCrawl } from '../arguments.ts';
import { sayPlainly } from '../output/lines.ts';
import { moment, writeList } from '../output/table.ts';
import { asks, does } from '../verb.ts';

const wordsOf = ({ fields, wordsAdded, wordsRemoved, minor }: Omit<ChangeItem, 'event'>): string => {
  const text = wordsAdded === null ? '' : ` (+${String(wordsAdded)} −${String(wordsRemoved ?? 0)} words)`;
  return `${fields.join(', ')}${text}${minor ? ', by a hair' : ''}`;
};

export const verbs = [
  does({
    words: 'changes',
    takes: { ...oneCrawl, '[url]': 'URL of a page, in any spelling', '--json': 'as JSON, one object a line' },
    examples: ['3', '3 https://example.com/prices'],
    run: ({ id, url, json, ...given }) =>
      withApi(given, async (api) => {
        if (url === undefined) {
          const path = `/v1/crawls/${id}/changes`;
          await writeList(api.list(path, changeItem, { limit: 1_000 }), json, {
            heads: ['fetched', 'status', 'version', 'before', 'url', 'what changed'],
            row: (change) => [
              moment(change.fetchedAt),
              String(change.status ?? ''),
              change.version,
              change.before,
              change.url,
              wordsOf(change),
            ],
            none: 'No change is known. Only a crawl with --changes yes looks for them, some seconds after its pages came.',
          });
          for (const sentence of leftOut(await api.get(path, changeList, { limit: 1 }))) sayPlainly(sentence);
          return;
        }
        const { items } = await api.get(`/v1/crawls/${id}/page-versions`, pageVersionList, { url });
        await writeList(items, json, {
          heads: ['version', 'fetched', 'status', 'stored', 'what changed'],
          row: ({ version, fetchedAt, status, stored, change }) => [
            version,
            moment(fetchedAt),
            String(status ?? ''),
            stored ? 'yes' : 'no',
            change === null ? '' : wordsOf(change),
          ],
          none: 'Neither this crawl nor an earlier one has fetched the page.',
        });
      }),
  }),
  asks({
    words: 'diff',
    takes: {
      ...oneCrawl,
      '<url>': 'URL of the page, in any spelling',
      '--from <version>': 'the earlier version, as changes names it (default: the one before the later)',
      '--to <version>': 'the later version (default: the latest)',
      '--json': 'as JSON',
    },
    examples: ['3 https://example.com/prices', '3 https://example.com/prices --from 2-1 --to 3-1'],
    route: 'GET /v1/crawls/{id}/diff',
    query: ({ url, from, to }) => ({ url, from, to }),
    answer: pageDiff,
    print: diffLines,
  }),
];

function* leftOut({ forgotten, dropped, lost }: z.infer<typeof changeList>): Generator<string> {
  if (forgotten > 0) yield `${counted(forgotten, 'older change')} of the crawl are not kept any more.`;
  if (dropped > 0) yield `${counted(dropped, 'older version')} of pages are not kept any more.`;
  if (lost > 0) yield `${counted(lost, 'answer')} could not be compared: a body is not stored any more.`;
}

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** As `git diff --word-diff` writes it. */
function diffLines({ url, from, to, fields, text, change }: PageDiff): string[] {
  const head = [`${url}: ${from} → ${to}`];
  if (change === null) return [...head, 'Nothing differs that a reader sees.'];
  const values = fields.flatMap(({ field, before, after }) => [
    `${field}:`,
    `  - ${shown(before)}`,
    `  + ${shown(after)}`,
  ]);
  if (text === null) return [...head, ...values, 'One of the versions has no text.'];
  const marked = text.parts.map(({ kind, text: words, lines }) =>
    kind === 'skipped'
      ? `… ${String(lines)} lines …\n`
      : kind === 'same'
        ? words
        : kind === 'added'
          ? `{+${words}+}`
          : `[-${words}-]`,
  );
  const isSame = text.parts.every(({ kind }) => kind === 'same' || kind === 'skipped');
  const notes = [
    ...(text.exact ? [] : ['Comparing took too long: more is shown as changed than did change.']),
    ...(text.leftOut === 0 ? [] : [`${String(text.leftOut)} characters at the ends were not compared.`]),
  ];
  const body = isSame ? [] : ['text:', ...marked.join('').split('\n')];
  return [...head, ...values, ...body, ...notes];
}
