/** `export` and the verbs below it: the pages of a crawl in one stream or file, of this verb's or of the stack's making. */
import { exportFiles, exportFormats, exportView, type ExportView } from '../../contracts/http/exports.ts';
import { pageFields } from '../../contracts/page-fields.ts';
import { counted, grouped } from '../../domain/counted.ts';
import type { Api } from '../api/api.ts';
import { anyApi, withApi } from '../api/target.ts';
import { fieldList, numberOf, ofCrawl, oneCrawl } from '../arguments.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { streamTo } from '../output/out-file.ts';
import { moment, writeMade, writeOne } from '../output/table.ts';
import { asks, does, type Given } from '../verb.ts';
import { jobPath, showJob, untilOver, type JobKind } from './jobs.ts';
import { pageOptions, pageQuery } from './page-filter.ts';

const formatOptions = {
  '--format <format>': {
    about:
      'JSON lines, tables, the graph of links, web archives, a web archive for players (wacz), a folder of Markdown, or rows for a corpus',
    choices: exportFormats,
    usual: 'jsonl',
  },
  '--fields <list>': {
    about: `fields to add to jsonl, csv and parquet, comma-separated: ${pageFields.join(', ')}; wacz takes text`,
    read: fieldList,
  },
} as const;
const oneExport = {
  ...ofCrawl,
  '<export>': { about: 'id of the export, as export list shows it', read: numberOf('an export') },
} as const;
const toFile = {
  '--out <file>': 'write to this file, which appears only once it is complete',
} as const;

/** Formats that are written as the pages are read. */
const streamed: Readonly<Partial<Record<(typeof exportFormats)[number], string>>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  warc: 'application/warc',
  'warc-zstd': 'application/warc',
};

export const verbs = [
  does({
    words: 'export',
    takes: { ...pageOptions, ...oneCrawl, ...formatOptions, ...toFile },
    examples: [
      '3 --out pages.jsonl',
      '3 --format csv | head -1',
      '3 --format warc --out crawl.warc.gz',
      '3 --format wacz --out crawl.wacz',
    ],
    run: async ({ id, ...given }) => {
      const { format, fields, out } = given;
      const type = streamed[format];
      if (type === undefined)
        return start(id, { ...given, to: undefined, wait: true, id: false, json: false });
      const query = { format, fields: fields?.join(','), ...pageQuery(given) };
      return streamTo(out, (write) =>
        withApi(given, async (api) => {
          await write((await api.take(`/v1/crawls/${id}/export`, type, { query })).chunks);
          return exitCodes.ok;
        }),
      );
    },
  }),
  does({
    words: 'export start',
    summary:
      'Have the stack make a file of the pages that a crawl has by now. The export survives crashes and restarts.',
    takes: {
      ...ofCrawl,
      ...pageOptions,
      ...formatOptions,
      '--to <place>': { about: 'where the file stays (default: folder)', choices: ['folder', 'bucket'] },
      '--wait': 'wait until the export has ended',
      '--out <file>': 'wait, and download the file, which appears only once it is complete',
      '--id': 'print only the id of the export',
      '--json': 'as JSON',
    },
    examples: [
      '3 --format wacz --out crawl.wacz',
      '3 --format parquet --fields text --wait',
      '3 --format warc --to bucket',
    ],
    run: ({ crawl, ...given }) => start(crawl, given),
  }),
  asks({
    words: 'export list',
    summary: 'List the exports of a crawl that were started, the latest first.',
    takes: { ...ofCrawl, '--json': 'as JSON, one object a line' },
    examples: ['3'],
    route: 'GET /v1/crawls/{crawl}/exports',
    perPage: null,
    answer: exportView,
    print: {
      heads: ['id', 'since', 'format', 'state', 'pages', 'bytes', 'file'],
      row: ({ id, createdAt, format, state, pages, bytes, object, file }) => [
        id,
        moment(createdAt),
        format,
        state,
        grouped(pages),
        grouped(bytes),
        object ?? file ?? '',
      ],
      none: 'There are no exports.',
    },
  }),
  does({
    words: 'export show',
    summary: 'Show how far an export is.',
    takes: { ...oneExport, '--wait': 'wait until the export has ended', '--json': 'as JSON' },
    examples: ['3 7 --wait'],
    run: ({ crawl, export: id, ...given }) => showJob(kind, crawl, id, given),
  }),
  does({
    words: 'export get',
    summary: 'Write the file of a finished export to standard output or to a file.',
    takes: { ...oneExport, ...toFile },
    examples: ['3 7 --out crawl.wacz'],
    run: ({ crawl, export: id, out, ...given }) =>
      streamTo(out, (write) =>
        withApi(given, async (api) => {
          const view = await api.get(jobPath(kind, crawl, id), exportView);
          await write(await fileOf(api, view, out !== undefined));
        }),
      ),
  }),
  asks({
    words: 'export cancel',
    summary: 'Cancel an export. What was written of its file is removed.',
    takes: { ...oneExport, '--json': 'as JSON' },
    examples: ['3 7'],
    needs: 'acting',
    route: 'POST /v1/crawls/{crawl}/exports/{export}/cancel',
    answer: exportView,
    print: ({ id }) => [`Export ${id} is cancelled.`],
  }),
  asks({
    words: 'export remove',
    summary: 'Remove an export that has ended, with its file.',
    takes: { ...oneExport, '--json': 'as JSON' },
    examples: ['3 7'],
    route: 'DELETE /v1/crawls/{crawl}/exports/{export}',
    answer: exportView,
    print: ({ id }) => [`Export ${id} is removed with its file.`],
  }),
];

type StartOptions = Given<typeof formatOptions & typeof pageOptions & typeof toFile> & {
  readonly to: string | undefined;
  readonly wait: boolean;
  readonly id: boolean;
  readonly json: boolean;
};

/** With `out` the file is downloaded once it is whole. */
const start = (crawl: string, given: StartOptions): Promise<ExitCode> => {
  const { format, fields, to, wait, out, json } = given;
  const asked = { format, fields, to, ...pageQuery(given) };
  return streamTo(out, async (write) => {
    const api = await anyApi(given);
    const started = await api.create(kind.pathOf(crawl), exportView, asked);
    if (!wait && out === undefined) {
      writeMade(started, given, () => [
        `Export ${started.id} of crawl ${crawl} has begun.`,
        `How far it is: orbweaver export show ${crawl} ${started.id}`,
      ]);
      return exitCodes.ok;
    }
    const ended = await untilOver(kind, api, started, !json);
    if (out !== undefined && ended.state === 'finished') await write(await fileOf(api, ended, true));
    else writeOne(ended, json, () => linesOf(ended));
    return exitCodeOf(ended);
  });
};

const exitCodeOf = ({ state }: ExportView): ExitCode =>
  state === 'finished' ? exitCodes.ok : exitCodes.failed;

const phases: Readonly<Record<ExportView['phase'], string>> = {
  pages: 'pages are being read',
  whole: 'all pages are read, and the file is being made whole',
  bucket: 'the file is being uploaded',
};

const progressOf = ({ phase, pages, ofPages, bytes }: ExportView): string =>
  `${grouped(pages)} of ${counted(ofPages, 'page')}, ${counted(bytes, 'byte')}: ${phases[phase]}`;

function linesOf(view: ExportView): string[] {
  const { id, crawlId, state, reason, pages, bytes, file, object, expiresAt } = view;
  if (state === 'waiting') return [`Export ${id} of crawl ${crawlId} waits for a worker.`];
  if (state === 'running') return [`Export ${id} of crawl ${crawlId} goes on: ${progressOf(view)}.`];
  if (file === null)
    return [`Export ${id} of crawl ${crawlId} is ${state}${reason === null ? '' : `: ${reason}`}.`];
  return [
    `Export ${id} of crawl ${crawlId} is finished: ${counted(pages, 'page')}, ${counted(bytes, 'byte')}.`,
    object === null
      ? `Its file: orbweaver export get ${crawlId} ${id} --out ${file}`
      : `Its object: ${object}`,
    ...(expiresAt === null ? [] : [`It is removed at ${moment(expiresAt)}.`]),
  ];
}

const kind: JobKind<ExportView> = {
  pathOf: (crawl) => `/v1/crawls/${crawl}/exports`,
  view: exportView,
  isOver: ({ endedAt }) => endedAt !== null,
  progressOf,
  linesOf,
  exitCodeOf,
};

/** @param checked a file that is cut short must not get its name */
async function fileOf(
  api: Api,
  { id, crawlId: crawl, state, format, bytes }: ExportView,
  checked: boolean,
): Promise<AsyncIterable<Uint8Array>> {
  if (state !== 'finished') throw new CommandError(`Export ${id} is ${state}: it has no file.`);
  const [type] = exportFiles[format].type.split(';');
  const { chunks } = await api.take(`${jobPath(kind, crawl, id)}/file`, type ?? '');
  return checked ? whole(chunks, bytes) : chunks;
}

/** @throws CommandError if the file is cut short */
async function* whole(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let came = 0;
  for await (const chunk of chunks) {
    came += chunk.length;
    yield chunk;
  }
  if (came !== bytes)
    throw new CommandError(
      `The download broke off: ${grouped(came)} of ${grouped(bytes)} bytes came.`,
      exitCodes.broken,
    );
}
