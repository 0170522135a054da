/** `changes` and `diff`: which pages changed since they were fetched before, and how. */
import type { z } from 'zod';
import {
  changeItem,
  changeList,
  pageDiff,
  pageVersionList,
  type ChangeItem,
  type PageDiff,
  type PageVersion,
} from '../../contracts/http/changes.ts';
import { counted } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { sayPlainly } from '../output/say.ts';
import { moment, printable, writeLines, writeList, type Shown } from '../output/table.ts';

export interface DiffOptions extends VerbOptions {
  readonly from?: string;
  readonly to?: string;
}

const wordsOf = ({ fields, wordsAdded, wordsRemoved, minor }: Omit<ChangeItem, 'event'>): string => {
  const text = wordsAdded === null ? '' : ` (+${String(wordsAdded)} −${String(wordsRemoved ?? 0)} words)`;
  return `${fields.join(', ')}${text}${minor ? ', by a hair' : ''}`;
};

const feed: Shown<ChangeItem> = {
  heads: ['fetched', 'status', 'version', 'before', 'url', 'what changed'],
  row: (change) => [
    ...[moment(change.fetchedAt), String(change.status ?? ''), change.version, change.before, change.url],
    wordsOf(change),
  ],
  none: 'No change is known. A crawl looks for changes with --changes yes, some seconds after its pages came.',
};

const versions: Shown<PageVersion> = {
  heads: ['version', 'fetched', 'status', 'stored', 'what changed'],
  row: ({ version, fetchedAt, status, stored, change }) => [
    ...[version, moment(fetchedAt), String(status ?? ''), stored ? 'yes' : 'no'],
    change === null ? '' : wordsOf(change),
  ],
  none: 'Neither this crawl nor an earlier one has fetched the page.',
};

export async function changes(
  crawl: string,
  url: string | undefined,
  options: VerbOptions,
): Promise<ExitCode> {
  const isJson = options.json === true;
  await withApi(options, async (api) => {
    if (url === undefined) {
      const path = `/v1/crawls/${crawl}/changes`;
      await writeList(api.list(path, changeItem, { limit: 1_000 }), isJson, feed);
      for (const sentence of leftOut(await api.get(path, changeList, { limit: 1 }))) sayPlainly(sentence);
      return;
    }
    const { items } = await api.get(`/v1/crawls/${crawl}/page-versions`, pageVersionList, { url });
    await writeList(items, isJson, versions);
  });
  return exitCodes.ok;
}

function* leftOut({ forgotten, dropped, lost }: z.infer<typeof changeList>): Generator<string> {
  if (forgotten > 0) yield `${counted(forgotten, 'older change')} of the crawl are not kept any more.`;
  if (dropped > 0) yield `${counted(dropped, 'older version')} of pages are not kept any more.`;
  if (lost > 0) yield `${counted(lost, 'answer')} could not be compared: a body is not stored any more.`;
}

export async function diff(crawl: string, url: string, options: DiffOptions): Promise<ExitCode> {
  const { from, to, json = false } = options;
  await withApi(options, async (api) => {
    const found = await api.get(`/v1/crawls/${crawl}/diff`, pageDiff, { url, from, to });
    writeLines(json ? [JSON.stringify(found)] : linesOf(found));
  });
  return exitCodes.ok;
}

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** As `git diff --word-diff` writes it. */
function linesOf({ url, from, to, fields, text, change }: PageDiff): string[] {
  const head = [`${url}: ${from} → ${to}`];
  if (change === null) return [...head, 'Nothing differs that a reader sees.'];
  const values = fields.flatMap(({ field, before, after }) => [
    `${field}:`,
    `  - ${shown(before)}`,
    `  + ${shown(after)}`,
  ]);
  if (text === null) return [...head, ...values, 'One of the versions has no text.'].map(printable);
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
  return [...head, ...values, ...body, ...notes].map(printable);
}
