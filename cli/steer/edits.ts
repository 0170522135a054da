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
import { counted, grouped } from '../../domain/counted.ts';
import { endingInWords } from '../../domain/crawl-life.ts';
import { anyApi } from '../api/target.ts';
import { numberOf, oneCrawl } from '../arguments.ts';
import { addEditSettings, editOptionNames, optionName } from '../crawl/crawl-settings.ts';
import { readSettings } from '../crawl/setting-values.ts';
import { CommandError } from '../ending.ts';
import { judged } from '../judged.ts';
import { moment, table, writeOne } from '../output/table.ts';
import { asks, does } from '../verb.ts';

const change = {
  '--dry-run': 'show what the change would do to the URLs of the crawl, and change nothing',
  '--yes': 'make the change also if it ends the crawl',
  '--note <text>': 'why; shown to people who read the versions later',
} as const;
const asPreview = { query: { dryRun: 'true' } };

/** The settings of crawl-settings.ts are text, and `none` takes a setting back. */
interface EditOptions {
  /** The crawl may end by the edit. */
  readonly yes: boolean;
  readonly note: string | undefined;
  readonly [setting: string]: unknown;
}

export const verbs = [
  does({
    words: 'edit',
    takes: {
      ...oneCrawl,
      ...change,
      settings: (command) => {
        command.optionsGroup(
          'Settings (a new value replaces the old one as a whole; the value none resets a setting):',
        );
        addEditSettings(command);
      },
      '--json': 'as JSON',
    },
    examples: [
      '3 --exclude "*/archive/*" --dry-run',
      '3 --exclude "*/archive/*" --delay 2 --note "the archive is of no use"',
      '3 --max-pages none',
    ],
    run: async ({ id, dryRun, json, ...given }) => {
      const path = `/v1/crawls/${id}`;
      const body = await readEdit(given);
      const api = await anyApi(given);
      if (dryRun) {
        const preview = await api.change('PATCH', path, editPreview, { body, ...asPreview });
        writeOne(preview, json, () => previewLines(id, preview));
      } else {
        const version = await api.change('PATCH', path, configVersion, { body });
        writeOne(version, json, () => [versionLine(version)]);
      }
    },
  }),
  asks({
    words: 'versions',
    takes: { ...oneCrawl, '--json': 'as JSON with the settings, one object a line' },
    examples: ['3'],
    route: 'GET /v1/crawls/{id}/versions',
    perPage: 100,
    answer: versionList.shape.items.element,
    print: {
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
    },
  }),
  does({
    words: 'restore',
    takes: {
      ...oneCrawl,
      '<version>': {
        about: 'number of the version, as orbweaver versions shows it',
        read: numberOf('a version', 9),
      },
      ...change,
      '--json': 'as JSON',
    },
    examples: ['3 1 --dry-run', '3 1'],
    run: async ({ id, version, dryRun, yes, note, json, ...given }) => {
      const api = await anyApi(given);
      const path = `/v1/crawls/${id}/versions/${version}/restore`;
      if (dryRun) {
        const preview = await api.change('POST', path, editPreview, { body: {}, ...asPreview });
        writeOne(preview, json, () => previewLines(id, preview));
      } else {
        const made = await api.create(path, configVersion, { note, ...(yes && { mayEnd: true }) });
        writeOne(made, json, () => [versionLine(made)]);
      }
    },
  }),
];

/** @throws CommandError with one sentence on the first thing that is wrong */
export async function readEdit(options: EditOptions): Promise<CrawlEdit> {
  const given = await readSettings(options, true);
  if (Object.keys(given).length === 0)
    throw new CommandError(`Say what to change: ${editOptionNames().join(', ')}.`);
  if (options.note !== undefined) given['note'] = options.note;
  if (options.yes) given['mayEnd'] = true;
  // The given values are sent as they are: the API reads them once more.
  judged(crawlEdit, given, ([field = '', ...within]) => {
    const typed = field === 'note' ? '--note' : optionName(field);
    return `${typed}${within.length === 0 ? '' : ` (${within.join('.')})`}`;
  });
  return given;
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
