/** `ranks import`, `show` and `remove`: a public ranking of domains, by which crawls may trust hosts. */
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { importedRanks, ranksView, removedRanks } from '../../contracts/http/ranks.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import { wholeNumber } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { readable } from '../output/lines.ts';
import { writeOne } from '../output/table.ts';
import { reasonOf } from '../output/words.ts';
import { asks, does } from '../verb.ts';

export const verbs = [
  does({
    words: 'ranks import',
    summary:
      'Import a ranking in place of the one before: lines of "rank,domain", as Tranco has them, or the ranks of hosts or domains of Common Crawl.',
    takes: {
      '<file>': 'file with the ranking, - for standard input; a name that ends with .gz is unpacked',
      '--most <n>': {
        about: 'leave out domains with a worse place than this (default: 1,000,000)',
        read: wholeNumber(1),
      },
      '--json': 'as JSON',
    },
    examples: ['top-1m.csv --most 100000'],
    run: async ({ file, most, json, ...given }) => {
      if (file !== '-') await readable('ranking', file);
      const path = most === undefined ? '/v1/ranks' : `/v1/ranks?most=${String(most)}`;
      const imported = await withApi(given, (api) =>
        api.send(path, importedRanks, 'text/csv', () => linesOf(file)),
      );
      const { domains, beyond, refusedCount, refused } = imported;
      const out = beyond === 0 ? '' : `; ${grouped(beyond)} with a worse place were left out`;
      writeOne(imported, json, () => [
        `${counted(domains, 'domain is', 'domains are')} ranked${out}.`,
        ...(refusedCount === 0
          ? []
          : [`${counted(refusedCount, 'line is', 'lines are')} no line of a ranking:`]),
        ...refused.map(({ line, text }) => `  line ${String(line)}: ${JSON.stringify(text)}`),
        ...(refusedCount > refused.length ? [`  and ${grouped(refusedCount - refused.length)} more`] : []),
      ]);
    },
  }),
  asks({
    words: 'ranks show',
    summary: 'Show how many domains are ranked, and the place of one of them.',
    takes: { '[domain]': 'domain to look up', '--json': 'as JSON' },
    examples: ['example.com'],
    route: 'GET /v1/ranks',
    query: ({ domain }) => ({ domain }),
    answer: ranksView,
    print: ({ domains, ranked }, { domain }) => [
      `${counted(domains, 'domain is', 'domains are')} ranked.`,
      ...(domain === undefined
        ? []
        : [
            ranked === null
              ? `${domain} is not ranked.`
              : `${ranked.domain} has place ${grouped(ranked.place)}.`,
          ]),
    ],
  }),
  asks({
    words: 'ranks remove',
    summary: 'Remove the ranking.',
    route: 'DELETE /v1/ranks',
    answer: removedRanks,
    print: ({ removed }) => [`The ranking is removed: it had ${counted(removed, 'domain')}.`],
  }),
];

async function* linesOf(file: string): AsyncGenerator<Uint8Array> {
  const bytes = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const chunk of file.endsWith('.gz') ? unpacked(bytes) : bytes) yield chunk as Uint8Array;
  } catch (error) {
    throw new CommandError(`The ranking file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** An error of either stream is the reader's; `pipe` would leave that of the file to nobody. */
function unpacked(bytes: Readable): AsyncIterable<unknown> {
  const unpack = createGunzip();
  pipeline(bytes, unpack, () => undefined);
  return unpack;
}
