/** `report`: the results of a crawl, as tables, as JSON, or as the page that the API makes. */
import { standsAs } from '../../contracts/crawl.ts';
import { crawlReport, type CrawlReport, type ReportHostLine } from '../../contracts/http/report.ts';
import { grouped } from '../../domain/counted.ts';
import { renderedInWords } from '../../domain/rendering/outcome.ts';
import { keptBackInWords } from '../../domain/crawl-life.ts';
import { withApi } from '../api/target.ts';
import { oneCrawl } from '../arguments.ts';
import { openOutFile } from '../output/out-file.ts';
import { moment, table, writeLines, writeOne } from '../output/table.ts';
import { bytes, duration } from '../output/words.ts';
import { does } from '../verb.ts';
import { timeRows } from './explain-crawl.ts';
import { cutLines, needWords } from './summary.ts';

export const verbs = [
  does({
    words: 'report',
    takes: {
      ...oneCrawl,
      '--html <file>': 'write the report to this file, as one HTML page that needs no other file',
      '--json': 'as JSON',
    },
    examples: ['3', '3 --html report.html'],
    run: ({ id, html, json, ...given }) =>
      withApi(given, async (api) => {
        const path = `/v1/crawls/${id}/report`;
        if (html !== undefined) {
          const file = await openOutFile(html);
          try {
            const { chunks } = await api.take(path, 'text/html', { query: { format: 'html' } });
            await file.copy(chunks);
          } finally {
            await file.discard();
          }
          if (!json) {
            writeLines([`The report of crawl ${id} is in ${html}.`]);
            return;
          }
        }
        const made = await api.get(path, crawlReport, { format: 'json' });
        writeOne(made, json, () => reportLines(made));
      }),
  }),
];

const none = '–';
const ms = (value: number | null): string => (value === null ? none : `${grouped(value)} ms`);

/** Each table below its title; empty tables are left out. */
export function reportLines(report: CrawlReport): string[] {
  const { crawl, totals, states, statuses, deadLetters, types, hosts, urls, of } = report;
  /** @param heads null: the rows need no headings @param all the number of rows of which these are the first */
  const part = (
    title: string,
    heads: readonly string[] | null,
    rows: readonly (readonly string[])[],
    all = rows.length,
  ): string[] =>
    rows.length === 0
      ? []
      : [
          '',
          all > rows.length ? `${title} (${grouped(rows.length)} of ${grouped(all)})` : title,
          ...table(heads === null ? rows : [heads, ...rows]).map((line) => `  ${line}`),
        ];
  const rendered = renderedInWords(report.rendering);
  return [
    `Crawl ${crawl.id}${crawl.label === null ? '' : ` (${crawl.label})`} ${standsAs(crawl.state)}` +
      `${crawl.reason === null ? '' : ` (${crawl.reason})`}; as of ${moment(report.at)}${needWords(totals.pages, report.cut)}.`,
    ...part('Totals', null, [
      ['URLs', grouped(totals.ledger.discovered)],
      ['pages', grouped(totals.pages)],
      ['hosts', grouped(totals.hosts)],
      ['requests', grouped(totals.fetches)],
      ['body bytes', bytes(totals.bytes)],
      ['time', crawl.seconds === null ? none : duration(crawl.seconds)],
      ['pages/s', totals.pagesPerSecond === null ? none : totals.pagesPerSecond.toFixed(1)],
      [
        'duplicates',
        `${grouped(totals.duplicates.body)} by bytes, ${grouped(totals.duplicates.text)} by text`,
      ],
      ...(totals.forgotten === 0 ? [] : [['gone and forgotten', grouped(totals.forgotten)]]),
      ...(rendered === null ? [] : [['rendered', rendered]]),
      ...(report.keptBack === 0 ? [] : [['kept back', keptBackInWords(report.keptBack)]]),
      ['seeds', `${grouped(totals.seeds.accepted)} good, ${grouped(totals.seeds.rejected)} rejected`],
    ]),
    ...part(
      `Time by cause (${duration(report.time.seconds)}, summed over hosts)`,
      null,
      timeRows(report.time.causes),
    ),
    ...part(
      'Stages behind the fetchers',
      ['stage', 'full', 'pace left', 'what waits'],
      report.stages.map(({ stage, used, capacity, pace, means }) => [
        stage,
        ...[used / capacity, pace].map((share) => `${(share * 100).toFixed(0)} %`),
        means,
      ]),
    ),
    ...part(
      'URLs by state',
      ['state', 'reason', 'URLs'],
      states.map((each) => [each.state, each.reason ?? '', grouped(each.urls)]),
      of.states,
    ),
    ...part(
      'Freshness',
      ['at', 'fresh', 'pages', 'left out', 'fetched again'],
      report.freshness.map(({ at, fresh, pages, leftOut, requests }) => [
        moment(at),
        `${fresh.toFixed(1)} %`,
        ...[pages, leftOut, requests].map(grouped),
      ]),
    ),
    ...part(
      'Left out',
      null,
      cutLines(report.cut).map((text) => [text]),
    ),
    ...part(
      'Statuses',
      ['status', 'URLs', 'size'],
      statuses.map((each) => [String(each.status), grouped(each.urls), bytes(each.bytes)]),
      of.statuses,
    ),
    ...part(
      'Errors',
      ['class', 'URLs'],
      Object.entries(deadLetters).map(([name, count]) => [name, grouped(count)]),
    ),
    ...part(
      'Media types',
      ['type', 'URLs', 'size'],
      types.map((each) => [each.type, grouped(each.urls), bytes(each.bytes)]),
      of.types,
    ),
    ...part('Busiest hosts', hostHeads, hosts.busiest.map(hostRow), of.hosts.busiest),
    ...part('Hosts with most losses', hostHeads, hosts.failing.map(hostRow), of.hosts.failing),
    ...part(
      'Slowest answers',
      ['time', 'status', 'URL'],
      urls.slowest.slice(0, shownUrls).map((each) => [ms(each.ms), String(each.status ?? none), each.url]),
      of.urls.slowest,
    ),
    ...part(
      'Largest answers',
      ['size', 'status', 'URL'],
      urls.biggest
        .slice(0, shownUrls)
        .map((each) => [bytes(each.bytes), String(each.status ?? none), each.url]),
      of.urls.biggest,
    ),
  ];
}

const shownUrls = 5;
const hostHeads = ['host', 'URLs', 'answered', 'lost', 'size', 'mean'];
const hostRow = (line: ReportHostLine): string[] => [
  line.host,
  grouped(line.urls),
  grouped(line.answered),
  grouped(line.lost),
  bytes(line.bytes),
  ms(line.meanMs),
];
