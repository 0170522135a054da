/**
 * `edit`, `versions`, `restore`: the settings of a crawl while it runs, and the effect of a change, done or previewed.
 */
import {
  configVersion,
  crawlEdit,
  editPreview,
  versionList,
  type ConfigVersion,
  type CrawlEdit,
  type EditPreview,
} from '../../contracts/http/edits.ts';
import { endingInWords } from '../../domain/crawl-life.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { anyApi, withApi } from '../api/target.ts';
import type { VerbOptions } from './crawls.ts';
import { editOptionNames, optionName } from '../crawl/crawl-settings.ts';
import { readSettings } from '../crawl/setting-values.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, table, writeList, writeOne, type Shown } from '../output/table.ts';
import { counted, grouped } from '../../domain/counted.ts';

/** As commander gives them; the settings of crawl-settings.ts are text, and `none` takes a setting back. */
export interface EditOptions extends VerbOptions {
  readonly dryRun?: boolean;
  /** The crawl may end by the edit. */
  readonly yes?: boolean;
  readonly note?: string;
  readonly [setting: string]: unknown;
}

export async function edit(id: string, options: EditOptions): Promise<ExitCode> {
  const { dryRun = false, json = false } = options;
  const body = await readEdit(options);
  const api = await anyApi(options);
  if (dryRun) {
    const preview = await api.change('PATCH', `/v1/crawls/${id}`, editPreview, {
      body,
      query: { dryRun: 'true' },
    });
    writeOne(preview, json, () => previewLines(id, preview));
  } else {
    const version = await api.change('PATCH', `/v1/crawls/${id}`, configVersion, { body });
    writeOne(version, json, () => [versionLine(version)]);
  }
  return exitCodes.ok;
}

/** @throws CommandError with one sentence on the first thing that is wrong */
export async function readEdit(options: EditOptions): Promise<CrawlEdit> {
  const given = await readSettings(options, true);
  if (Object.keys(given).length === 0)
    throw new CommandError(`Say what to change: ${editOptionNames().join(', ')}.`);
  if (options.note !== undefined) given['note'] = options.note;
  if (options.yes === true) given['mayEnd'] = true;
  // The given values are sent as they are: the API reads them once more.
  const read = crawlEdit.safeParse(given, { error: inWords });
  if (read.success) return given;
  const [issue] = read.error.issues;
  const [field = '', ...within] = issue?.path.map(String) ?? [];
  const typed = field === 'note' ? '--note' : optionName(field);
  const place = within.length === 0 ? '' : ` (${within.join('.')})`;
  throw new CommandError(
    `${typed}${place} cannot be used: ${(issue?.message ?? 'it is not valid').replace(/\.$/, '')}.`,
  );
}

const versionLine = ({ crawlId, version, effect }: ConfigVersion): string =>
  `Crawl ${crawlId} has version ${String(version)} of its settings; ${effectWords(effect)}. ` +
  `orbweaver versions ${crawlId} shows how far it is.`;

function effectWords({
  state,
  judged,
  excluded,
  readmitted,
  pagesReread,
  admitted,
}: ConfigVersion['effect']): string {
  if (state === 'pending' && judged === 0) return 'the version is being applied';
  const so = state === 'pending' ? 'so far ' : '';
  return (
    `${so}${counted(judged, 'URL was', 'URLs were')} looked at, ${grouped(excluded)} excluded, ${grouped(readmitted)} queued again` +
    (pagesReread > 0 ? `, ${grouped(admitted)} found in ${counted(pagesReread, 'stored page')}` : '')
  );
}

const shownRows = 10;

export function previewLines(id: string, preview: EditPreview): string[] {
  const { judged, queued, excluded, readmitted, links, ends, goesOn, byRule, byHost, complete } = preview;
  const part = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', ...table([heads, ...rows.slice(0, shownRows)])];
  return [
    ...(ends === null
      ? []
      : [
          `The edit would end crawl ${id} at once (${endingInWords(ends)}): it asks for --yes. A later edit that lifts the limit has the crawl go on.`,
        ]),
    ...(goesOn ? [`Crawl ${id} had ended at a limit, and would go on.`] : []),
    `Crawl ${id}: of the URLs that are queued now (${grouped(queued)}), ${grouped(excluded)} would be excluded; ` +
      `of the URLs that rules exclude now (${grouped(judged - queued)}), ${grouped(readmitted)} would be queued again` +
      `${links === null ? '' : `; of the links in stored pages, ${grouped(links)} would be added`}. Nothing was changed.`,
    ...(complete
      ? []
      : ['There were too many URLs to look at all of them in time: the true numbers are at least these.']),
    ...part(
      ['reason', 'rule', 'excluded', 'queued again'],
      byRule.map((row) => [row.reason, row.rule ?? '', grouped(row.excluded), grouped(row.readmitted)]),
    ),
    ...part(
      ['host', 'excluded', 'queued again'],
      byHost.map((row) => [row.origin, grouped(row.excluded), grouped(row.readmitted)]),
    ),
  ];
}

const shown: Shown<ConfigVersion> = {
  heads: ['version', 'created', 'by', 'applied', 'excluded', 'queued again', 'admitted', 'note'],
  row: ({ version, createdAt, author, effect, restores, note }) => [
    String(version),
    moment(createdAt),
    author ?? '',
    effect.state === 'pending' ? `pending, ${grouped(effect.judged)} so far` : effect.state,
    grouped(effect.excluded),
    grouped(effect.readmitted),
    grouped(effect.admitted),
    [
      ...(restores === null ? [] : [`version ${String(restores)} again`]),
      ...(note === null ? [] : [note]),
    ].join(': '),
  ],
  none: 'There is no version yet.',
};

export async function versions(id: string, options: VerbOptions): Promise<ExitCode> {
  const { json = false } = options;
  const item = versionList.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list(`/v1/crawls/${id}/versions`, item, { limit: 100 }), json, shown),
  );
  return exitCodes.ok;
}

export async function restore(
  id: string,
  version: string,
  options: VerbOptions & { readonly dryRun?: boolean; readonly yes?: boolean; readonly note?: string },
): Promise<ExitCode> {
  const { dryRun = false, yes = false, note, json = false } = options;
  const api = await anyApi(options);
  const path = `/v1/crawls/${id}/versions/${version}/restore`;
  if (dryRun) {
    const preview = await api.change('POST', path, editPreview, { body: {}, query: { dryRun: 'true' } });
    writeOne(preview, json, () => previewLines(id, preview));
  } else {
    const made = await api.create(path, configVersion, {
      ...(note !== undefined && { note }),
      ...(yes && { mayEnd: true }),
    });
    writeOne(made, json, () => [versionLine(made)]);
  }
  return exitCodes.ok;
}
