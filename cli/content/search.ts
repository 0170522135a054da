/** `search` and `index`: pages by their texts. */
import {
  searchAnswer,
  searchIndexView,
  type HitView,
  type SearchAnswerView,
} from '../../contracts/http/search.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { writeLines, writeOne, printable } from '../output/table.ts';

export interface SearchOptions extends VerbOptions {
  readonly crawl?: readonly string[];
  readonly host?: string;
  readonly language?: string;
  readonly status?: string;
  readonly type?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

export async function search(words: readonly string[], options: SearchOptions): Promise<ExitCode> {
  const { crawl = [], host, language, status, type, since, until, limit } = options;
  const query = {
    ...{ q: words.join(' '), host, language, status, contentType: type, since, until, limit },
    crawl: crawl.length === 0 ? undefined : crawl.join(','),
  };
  const answer = await withApi(options, (api) => api.get('/v1/search', searchAnswer, query));
  if (options.json === true) writeLines(answer.items.map((item) => JSON.stringify(item)));
  else writeLines(answerLines(answer, process.stdout.isTTY));
  return exitCodes.ok;
}

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

export async function index(
  id: string,
  options: VerbOptions & { readonly look?: boolean },
): Promise<ExitCode> {
  const path = `/v1/crawls/${id}/search/index`;
  const view = await withApi(options, (api) =>
    options.look === true
      ? api.get(path, searchIndexView)
      : api.change('POST', path, searchIndexView, { body: {} }),
  );
  const { state, looked, lost } = view;
  const states = {
    none: `Crawl ${id} is not indexed for searches; orbweaver index ${id} has it indexed.`,
    building: `Crawl ${id} is being indexed: ${counted(looked, 'answered URL')} looked at so far.`,
    dropped: `Crawl ${id} is removed.`,
    ready: `Crawl ${id} is indexed: ${counted(looked, 'answered URL')} looked at.`,
  };
  const gone = lost === 0 ? '' : ` Of ${counted(lost, 'page')} the stored body is gone.`;
  writeOne(view, options.json === true, () => [states[state] + gone]);
  return exitCodes.ok;
}
