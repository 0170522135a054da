/** `ranks import`, `show` and `remove`: a public ranking of domains, by which crawls may trust hosts. */
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { importedRanks, ranksView, removedRanks, type ImportedRanks } from '../../contracts/http/ranks.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { readable } from '../steer/seeds.ts';
import { writeOne } from '../output/table.ts';
import { reasonOf } from '../output/words.ts';

/** @param file `-`: standard input; a name that ends with .gz is unpacked */
export async function importRanking(
  file: string,
  options: VerbOptions & { readonly most?: number },
): Promise<ExitCode> {
  const { most, json = false } = options;
  if (file !== '-') await readable('ranking', file);
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    const bytes = file === '-' ? process.stdin : createReadStream(file);
    try {
      for await (const chunk of file.endsWith('.gz') ? unpacked(bytes) : bytes) yield chunk as Uint8Array;
    } catch (error) {
      throw new CommandError(`The ranking file ${file} cannot be read: ${reasonOf(error)}.`);
    }
  };
  const query = most === undefined ? '' : `?most=${String(most)}`;
  const imported = await withApi(options, (api) =>
    api.send(`/v1/ranks${query}`, importedRanks, 'text/csv', lines),
  );
  writeOne(imported, json, () => importedLines(imported));
  return exitCodes.ok;
}

/** An error of either stream is the reader's; `pipe` would leave that of the file to nobody. */
function unpacked(bytes: Readable): AsyncIterable<unknown> {
  const unpack = createGunzip();
  pipeline(bytes, unpack, () => undefined);
  return unpack;
}

function importedLines({ domains, beyond, refusedCount, refused }: ImportedRanks): string[] {
  const out = beyond === 0 ? '' : `; ${grouped(beyond)} with a worse place were left out`;
  return [
    `${counted(domains, 'domain is', 'domains are')} ranked${out}.`,
    ...(refusedCount === 0 ? [] : [`${counted(refusedCount, 'line is', 'lines are')} no line of a ranking:`]),
    ...refused.map(({ line, text }) => `  line ${String(line)}: ${JSON.stringify(text)}`),
    ...(refusedCount > refused.length ? [`  and ${grouped(refusedCount - refused.length)} more`] : []),
  ];
}

export async function showRanks(domain: string | undefined, options: VerbOptions): Promise<ExitCode> {
  const ranks = await withApi(options, (api) => api.get('/v1/ranks', ranksView, { domain }));
  const { domains, ranked } = ranks;
  writeOne(ranks, options.json === true, () => [
    `${counted(domains, 'domain is', 'domains are')} ranked.`,
    ...(domain === undefined
      ? []
      : [
          ranked === null
            ? `${domain} is not ranked.`
            : `${ranked.domain} has place ${grouped(ranked.place)}.`,
        ]),
  ]);
  return exitCodes.ok;
}

export async function removeRanking(options: ApiOptions): Promise<ExitCode> {
  const { removed } = await withApi(options, (api) => api.change('DELETE', '/v1/ranks', removedRanks));
  process.stdout.write(`The ranking is removed: it had ${counted(removed, 'domain')}.\n`);
  return exitCodes.ok;
}
