/** `export start`, `list`, `show`, `get`, `cancel` and `remove`: exports that the stack makes by itself, and their files. */
import { exportFiles, exportView, type ExportView } from '../../contracts/http/exports.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { anyApi, withApi } from '../api/target.ts';
import type { Api } from '../api/api.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { toStandardOutput } from './export.ts';
import { jobPath, jobsPath, listJobs, showJob, untilOver, type JobKind } from './jobs.ts';
import { openOutFile, type OutFile } from '../output/out-file.ts';
import { readPageFilter, type PageFilterOptions } from './page-filter.ts';
import { sayPlainly } from '../output/say.ts';
import { moment, writeMade, writeOne, type Shown } from '../output/table.ts';

export interface StartOptions extends VerbOptions, PageFilterOptions {
  readonly format: string;
  readonly fields?: readonly PageField[];
  readonly to?: string;
  readonly wait?: boolean;
  readonly out?: string;
  readonly id?: boolean;
}

const shown: Shown<ExportView> = {
  heads: ['id', 'since', 'format', 'state', 'pages', 'bytes', 'file'],
  row: (each) => [
    ...[each.id, moment(each.createdAt), each.format, each.state, grouped(each.pages), grouped(each.bytes)],
    each.object ?? each.file ?? '',
  ],
  none: 'There are no exports.',
};

/** With `out` the file is downloaded once it is whole. */
export async function startExport(crawl: string, options: StartOptions): Promise<ExitCode> {
  const { format, fields, to, wait = false, out, json = false } = options;
  const { query } = readPageFilter(options);
  const file = out === undefined ? null : await openOutFile(out);
  try {
    const api = await anyApi(options);
    const asked = {
      format,
      ...(fields !== undefined && { fields }),
      ...(to !== undefined && { to }),
      ...query,
    };
    const started = await api.create(jobsPath(kind, crawl), exportView, asked);
    if (!wait && file === null) {
      writeMade(started, options, () => [
        `Export ${started.id} of crawl ${crawl} has begun.`,
        `How far it is: orbweaver export show ${crawl} ${started.id}`,
      ]);
      return exitCodes.ok;
    }
    const ended = await untilOver(kind, api, started, !json);
    if (file !== null && ended.state === 'finished') await download(api, ended, file);
    else writeOne(ended, json, () => linesOf(ended));
    return exitCodeOf(ended);
  } finally {
    await file?.discard();
  }
}

export const listExports = (crawl: string, options: VerbOptions): Promise<ExitCode> =>
  listJobs(kind, crawl, options);

export const showExport = (
  crawl: string,
  id: string,
  options: VerbOptions & { readonly wait?: boolean },
): Promise<ExitCode> => showJob(kind, crawl, id, options);

/** Without `out`, to standard output. */
export async function getExport(
  crawl: string,
  id: string,
  options: VerbOptions & { readonly out?: string },
): Promise<ExitCode> {
  const { out } = options;
  const file = out === undefined ? null : await openOutFile(out);
  try {
    await withApi(options, async (api) => {
      const view = await api.get(pathOf(crawl, id), exportView);
      await download(api, view, file);
    });
  } finally {
    await file?.discard();
  }
  return exitCodes.ok;
}

export async function cancelExport(crawl: string, id: string, options: VerbOptions): Promise<ExitCode> {
  const view = await withApi(
    options,
    (api) => api.change('POST', `${pathOf(crawl, id)}/cancel`, exportView),
    'acting',
  );
  writeOne(view, options.json === true, () => [`Export ${id} is cancelled.`]);
  return exitCodes.ok;
}

export async function removeExport(crawl: string, id: string, options: VerbOptions): Promise<ExitCode> {
  const view = await withApi(options, (api) => api.change('DELETE', pathOf(crawl, id), exportView));
  writeOne(view, options.json === true, () => [`Export ${id} is removed with its file.`]);
  return exitCodes.ok;
}

const pathOf = (crawl: string, id: string): string => jobPath(kind, crawl, id);

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
  ...{ name: 'exports', view: exportView, shown, isOver: ({ endedAt }) => endedAt !== null },
  ...{ progressOf, linesOf, exitCodeOf },
};

async function download(
  api: Api,
  { id, crawlId, state, format, bytes }: ExportView,
  file: OutFile | null,
): Promise<void> {
  if (state !== 'finished') throw new CommandError(`Export ${id} is ${state}: it has no file.`);
  const [type] = exportFiles[format].type.split(';');
  const { chunks } = await api.take(`${pathOf(crawlId, id)}/file`, type ?? '');
  if (file === null) return toStandardOutput(chunks);
  sayPlainly(`${grouped(await file.copy(whole(chunks, bytes)))} bytes were written to ${file.name}.`);
}

/** @throws CommandError if the file is cut short: it must not get its name then */
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
