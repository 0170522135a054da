/** `seeds add`: more seeds for a crawl, streamed from a file of any length. `seeds list`: the seeds of a crawl. */
import { createReadStream } from 'node:fs';
import { addedSeeds, seedList, type AddedSeeds } from '../../contracts/http/seeds.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { RefusedError, rejectionLine } from '../api/request.ts';
import { anyApi } from '../api/target.ts';
import { oneCrawl } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { readable } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';
import { asks, does } from '../verb.ts';

const isJsonLines = (name: string): boolean => /\.(ndjson|jsonl)$/i.test(name);

export const verbs = [
  does({
    words: 'seeds add',
    summary: 'Add seeds to a crawl. A crawl that had run out of work goes on.',
    takes: {
      ...oneCrawl,
      '[url...]': 'http or https URLs',
      '--seeds <file>':
        'file of any length with one URL per line, or with JSON lines if its name ends in .ndjson or .jsonl; - reads standard input',
      '--json': 'as JSON',
    },
    examples: ['3 https://example.com/news/', '3 --seeds seeds.txt'],
    /**
     * URLs on the command line come first, then the lines of the file. Bad seeds are reported; the others are added all
     * the same.
     */
    run: async ({ id, url: urls, seeds: file, json, ...given }) => {
      if (urls.length === 0 && file === undefined)
        throw new CommandError('Give at least one URL, such as https://example.com/, or --seeds FILE.');
      if (file !== undefined && file !== '-') await readable('seeds', file);
      const type = file !== undefined && isJsonLines(file) ? 'application/x-ndjson' : 'text/uri-list';
      const first = urls.map((url) => {
        if (/[\r\n]/.test(url)) throw new CommandError(`${JSON.stringify(url)} is more than one line.`);
        return `${type === 'text/uri-list' ? url : JSON.stringify(url)}\n`;
      });
      const lines = async function* (): AsyncGenerator<Uint8Array> {
        if (first.length > 0) yield Buffer.from(first.join(''));
        if (file !== undefined) yield* file === '-' ? process.stdin : createReadStream(file);
      };
      const api = await anyApi(given);
      const added = await api.send(`/v1/crawls/${id}/seeds`, addedSeeds, type, lines).catch(tellUnknown);
      writeOne(added, json, () => addedLines(id, added, urls.length, file));
    },
  }),
  asks({
    words: 'seeds list',
    summary: 'List the seeds of a crawl, each rejected one with the reason.',
    takes: {
      ...oneCrawl,
      '--state <state>': { about: 'only these', choices: ['good', 'rejected'] },
      '--json': 'as JSON, one object a line',
    },
    examples: ['3 --state rejected'],
    route: 'GET /v1/crawls/{id}/seeds',
    query: ({ state }) => ({ state }),
    answer: seedList.shape.items.element,
    print: {
      heads: ['line', 'state', 'url', 'reason'],
      row: ({ line, state, url, reason }) => [String(line), state, url, reason ?? ''],
      none: 'There is no such seed.',
    },
  }),
];

/** The API stores seeds as they arrive; if the answer is lost, nobody knows how many were stored. */
function tellUnknown(error: unknown): never {
  if (!(error instanceof CommandError) || error instanceof RefusedError) throw error;
  const detail = `${error.message} Some of the seeds may have been stored; adding them again does no harm.`;
  throw new CommandError(detail, error.exitCode, { cause: error });
}

function addedLines(id: string, added: AddedSeeds, given: number, file = ''): string[] {
  const { accepted, rejectedCount, rejected } = added;
  const first = `Crawl ${id} has ${counted(accepted, 'seed')} more`;
  if (rejectedCount === 0) return [`${first}.`];
  const more = rejectedCount - rejected.length;
  return [
    `${first}; ${counted(rejectedCount, 'seed')} cannot be crawled:`,
    ...rejected.map((seed) => {
      const place = seed.line > given ? `${file}, line ${String(seed.line - given)}: ` : '';
      return `  ${place}${rejectionLine(seed)}`;
    }),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
  ];
}
