/** `quarantine`: shapes of URLs that look like traps, and what becomes of them. */
import {
  quarantineJudged,
  quarantineList,
  quarantinePreview,
  quarantineView,
  type QuarantinePreview,
  type QuarantineView,
} from '../../contracts/http/quarantine.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from './crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { moment, table, writeList, writeOne, type Shown } from '../output/table.ts';

export interface QuarantineOptions extends VerbOptions {
  readonly verdict?: string;
  readonly host?: string;
  readonly rule?: string;
}

const shown: Shown<QuarantineView> = {
  heads: ['id', 'since', 'verdict', 'urls', 'host', 'shape', 'why'],
  row: ({ id, since, verdict, urls, host, shape, why }) => [
    ...[id, moment(since), verdict, grouped(urls), host, shape, why],
  ],
  none: 'No shape of URLs is in quarantine.',
};

export async function quarantined(crawl: string, options: QuarantineOptions): Promise<ExitCode> {
  const query = { limit: 1_000, verdict: options.verdict, host: options.host };
  const item = quarantineList.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list(`/v1/crawls/${crawl}/quarantine`, item, query), options.json === true, shown),
  );
  return exitCodes.ok;
}

export async function judge(
  act: 'release' | 'confirm',
  crawl: string,
  ids: readonly string[],
  options: QuarantineOptions,
): Promise<ExitCode> {
  const { host, rule } = options;
  const body = {
    ...(ids.length > 0 && { ids }),
    ...(host !== undefined && { host }),
    ...(rule !== undefined && { rule }),
  };
  const path = `/v1/crawls/${crawl}/quarantine/${act}`;
  const judged = await withApi(options, (api) => api.change('POST', path, quarantineJudged, { body }));
  const { shapes, urls, left } = judged;
  const freed = `${counted(urls, 'URL is', 'URLs are')} let go${left > 0 ? `, and ${grouped(left)} more follow` : ''}: they are queued again, or, if they were read and held as soft 404, pages of the crawl again`;
  writeOne(judged, options.json === true, () => [
    act === 'release'
      ? `${counted(shapes, 'shape is', 'shapes are')} released. ${freed}.`
      : `${counted(shapes, 'shape is', 'shapes are')} confirmed.`,
  ]);
  return exitCodes.ok;
}

export async function previewQuarantine(crawl: string, url: string, options: VerbOptions): Promise<ExitCode> {
  const path = `/v1/crawls/${crawl}/quarantine/preview`;
  const preview = await withApi(options, (api) => api.create(path, quarantinePreview, { url }));
  writeOne(preview, options.json === true, () => previewLines(preview));
  return exitCodes.ok;
}

function previewLines({ host, shapes, queued, complete }: QuarantinePreview): string[] {
  return [
    `Of ${counted(queued, 'queued URL')} at ${host}, each shape would keep back so many. Nothing was changed.`,
    ...(complete
      ? []
      : ['There were too many URLs to look at in time: the true numbers are at least these.']),
    '',
    ...table([
      ['shape', 'queued', 'in all', ''],
      ...shapes.map((row) => [
        ...[row.shape, grouped(row.queued), grouped(row.urls)],
        row.everything ? 'all that is queued: refused' : '',
      ]),
    ]),
  ];
}

export async function addQuarantine(
  crawl: string,
  host: string,
  shape: string,
  options: VerbOptions,
): Promise<ExitCode> {
  const path = `/v1/crawls/${crawl}/quarantine`;
  const view = await withApi(options, (api) => api.create(path, quarantineView, { host, shape }));
  writeOne(view, options.json === true, () => [
    `The shape ${shape} of ${host} is in quarantine, as ${view.id}.`,
  ]);
  return exitCodes.ok;
}
