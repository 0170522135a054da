/** `seeds add`: more seeds for a crawl, streamed from a file of any length. `seeds list`: the seeds of a crawl. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addedSeeds, seedList, type AddedSeeds, type SeedView } from '../../contracts/http/seeds.ts';
import { RefusedError, rejectionLine } from '../api/request.ts';
import { anyApi, withApi } from '../api/target.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { writeList, writeOne, type Shown } from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { reasonOf } from '../output/words.ts';

export interface SeedOptions extends VerbOptions {
  /** `-`: standard input. A file name that ends so is read as JSON lines. */
  readonly seeds?: string;
}

const isJsonLines = (name: string): boolean => /\.(ndjson|jsonl)$/i.test(name);

/**
 * URLs on the command line come first, then the lines of the file. Bad seeds are reported; the others are added all the
 * same.
 */
export async function addSeeds(id: string, urls: readonly string[], options: SeedOptions): Promise<ExitCode> {
  const { seeds: file, json = false } = options;
  if (urls.length === 0 && file === undefined)
    throw new CommandError('Give at least one URL, such as https://example.com/, or --seeds FILE.');
  if (file !== undefined && file !== '-') await readable('seeds', file);
  const type = file !== undefined && isJsonLines(file) ? 'application/x-ndjson' : 'text/uri-list';
  const given = urls.map((url) => {
    if (/[\r\n]/.test(url)) throw new CommandError(`${JSON.stringify(url)} is more than one line.`);
    return `${type === 'text/uri-list' ? url : JSON.stringify(url)}\n`;
  });
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    if (given.length > 0) yield Buffer.from(given.join(''));
    if (file !== undefined) yield* file === '-' ? process.stdin : createReadStream(file);
  };
  const api = await anyApi(options);
  const added = await api.send(`/v1/crawls/${id}/seeds`, addedSeeds, type, lines).catch(tellUnknown);
  writeOne(added, json, () => addedLines(id, added, urls.length, file));
  return exitCodes.ok;
}

/** The API stores seeds as they arrive; if the answer is lost, nobody knows how many were stored. */
function tellUnknown(error: unknown): never {
  if (!(error instanceof CommandError) || error instanceof RefusedError) throw error;
  const detail = `${error.message} Some of the seeds may have been stored; adding them again does no harm.`;
  throw new CommandError(detail, error.exitCode, { cause: error });
}

/** @throws CommandError if the file cannot be read, before anything is sent */
export async function readable(what: string, file: string): Promise<void> {
  try {
    const handle = await open(file);
    try {
      await handle.read(Buffer.alloc(1), 0, 1, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new CommandError(`The ${what} file ${file} cannot be read: ${reasonOf(error)}.`);
  }
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

const shown: Shown<SeedView> = {
  heads: ['line', 'state', 'url', 'reason'],
  row: ({ line, state, url, reason }) => [String(line), state, url, reason ?? ''],
  none: 'There is no such seed.',
};

export async function listSeeds(
  id: string,
  options: VerbOptions & { readonly state?: SeedView['state'] },
): Promise<ExitCode> {
  const { state, json = false } = options;
  const query = { state, limit: 1_000 };
  await withApi(options, (api) =>
    writeList(api.list(`/v1/crawls/${id}/seeds`, seedList.shape.items.element, query), json, shown),
  );
  return exitCodes.ok;
}
