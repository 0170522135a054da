/** The report of a crawl for people: one page without scripts, that loads nothing and can be kept as a file. */
import type { CrawlReport, ReportHostLine, ReportUrlLine } from '../../contracts/http/report.ts';
import { renderedInWords } from '../../domain/rendering/outcome.ts';
import { keptBackInWords } from '../../domain/crawl-life.ts';
import { cutKinds, cutPhrase, needPhrases } from '../../domain/limits.ts';
import { escaped, policyFor } from './html.ts';

const style = `
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } p { margin: .2rem 0 1rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
dl div { background: #f4f4f4; border-radius: .4rem; padding: .5rem .8rem; } dt { font-size: .8rem; color: #666; } dd { margin: 0; font-size: 1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; font-weight: 600; border-bottom: 2px solid #ccc; } td { border-bottom: 1px solid #e4e4e4; overflow-wrap: anywhere; }
th, td { padding: .25rem .6rem .25rem 0; vertical-align: top; } .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #161616; } dl div { background: #242424; } dt { color: #aaa; } th { border-color: #555; } td { border-color: #333; }
}
@media print { body { max-width: none; margin: 0; } }
`;

export const reportPolicy = policyFor(style);

const number = (value: number): string => value.toLocaleString('en');
const size = (bytes: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const unit = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** unit).toLocaleString('en', { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${units[unit] ?? ''}`;
};
const time = (ms: number | null): string =>
  ms === null ? '–' : ms < 10_000 ? `${number(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
const duration = (seconds: number | null): string => {
  if (seconds === null) return 'not started';
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
};

interface Column<Row> {
  readonly head: string;
  /** Right-aligned. */
  readonly numeric?: true;
  readonly cell: (row: Row) => string;
}

/** Empty if there is nothing to list. Cells are plain text; this function escapes them. */
function table<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return '';
  const align = ({ numeric }: Column<Row>): string => (numeric === true ? ' class="n"' : '');
  const head = columns.map((column) => `<th${align(column)}>${escaped(column.head)}</th>`).join('');
  const lines = rows.map(
    (row) =>
      `<tr>${columns.map((column) => `<td${align(column)}>${escaped(column.cell(row))}</td>`).join('')}</tr>`,
  );
  return `<h2>${escaped(title)}</h2>\n<table><thead><tr>${head}</tr></thead>\n<tbody>${lines.join('\n')}</tbody></table>\n`;
}

const urlCount = <Row extends { readonly urls: number }>(): Column<Row> => ({
  head: 'URLs',
  numeric: true,
  cell: ({ urls }) => number(urls),
});
const byteCount = <Row extends { readonly bytes: number }>(): Column<Row> => ({
  head: 'Bytes',
  numeric: true,
  cell: ({ bytes }) => size(bytes),
});
const hostColumns: readonly Column<ReportHostLine>[] = [
  { head: 'Host', cell: ({ host }) => host },
  urlCount(),
  { head: 'Answered', numeric: true, cell: ({ answered }) => number(answered) },
  { head: 'Dead or failed', numeric: true, cell: ({ lost }) => number(lost) },
  byteCount(),
  { head: 'Mean answer', numeric: true, cell: ({ meanMs }) => time(meanMs) },
];
const urlColumns: readonly Column<ReportUrlLine>[] = [
  { head: 'URL', cell: ({ url }) => url },
  { head: 'Status', numeric: true, cell: ({ status }) => (status === null ? '–' : String(status)) },
  { head: 'Type', cell: ({ contentType }) => contentType ?? '–' },
  byteCount(),
  { head: 'Answer', numeric: true, cell: ({ ms }) => time(ms) },
];

/** Says so if the list is only a part. */
const head = (title: string, rows: readonly unknown[], all: number): string =>
  all > rows.length ? `${title}: the first ${number(rows.length)} of ${number(all)}` : title;

export function reportHtml(report: CrawlReport): string {
  const { crawl, totals, hosts, urls, of } = report;
  const cut = cutKinds.flatMap((kind) => {
    const found = report.cut[kind];
    return found === undefined ? [] : [{ what: cutPhrase(kind, found.leftOut), urls: found.places }];
  });
  const name = `Crawl ${crawl.id}${crawl.label === null ? '' : `: ${crawl.label}`}`;
  const rendered = renderedInWords(report.rendering);
  const facts: readonly (readonly [string, string])[] = [
    ['Pages', number(totals.pages)],
    ['URLs found', number(totals.ledger.discovered)],
    ['Hosts', number(totals.hosts)],
    ['Transferred', size(totals.bytes)],
    ['Time', duration(crawl.seconds)],
    ['Pages a second', totals.pagesPerSecond === null ? '–' : totals.pagesPerSecond.toFixed(1)],
    ...(rendered === null ? [] : [['Rendered', rendered] as const]),
    ...(report.keptBack === 0 ? [] : [['Kept back', keptBackInWords(report.keptBack)] as const]),
    ['Same bytes', number(totals.duplicates.body)],
    ['Same text', number(totals.duplicates.text)],
    ...(totals.forgotten === 0 ? [] : [['Gone and forgotten', number(totals.forgotten)] as const]),
    ...needPhrases(totals.pages, report.cut).map((phrase) => ['Says little', phrase] as const),
    ['Seeds', `${number(totals.seeds.accepted)} good, ${number(totals.seeds.rejected)} rejected`],
  ];
  const deadLetters = Object.entries(report.deadLetters).map(([cause, count]) => ({ cause, urls: count }));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escaped(name)}</title>
<style>${style}</style>
<h1>${escaped(name)}</h1>
<p>The crawl is ${escaped(crawl.state)}${crawl.reason === null ? '' : ` (${escaped(crawl.reason)})`}. As of ${escaped(report.at)}; started ${escaped(crawl.startedAt ?? 'not yet')}, ended ${escaped(crawl.endedAt ?? 'not yet')}.</p>
<dl>${facts.map(([term, value]) => `<div><dt>${escaped(term)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
<p>${escaped(report.time.summary)}</p>
${table('Where the time went', report.time.causes, [
  { head: 'Cause', cell: ({ means }) => means },
  { head: 'Share', numeric: true, cell: ({ share }) => `${(share * 100).toFixed(1)} %` },
  { head: 'Host-seconds', numeric: true, cell: ({ seconds }) => duration(seconds) },
])}${table('Hosts that hold the crawl up', report.time.hosts.items, [
    { head: 'Host', cell: ({ origin }) => origin },
    { head: 'Why', cell: ({ because }) => because },
    {
      head: 'Left',
      numeric: true,
      cell: ({ secondsLeft }) => (secondsLeft === null ? 'until somebody acts' : duration(secondsLeft)),
    },
  ])}${table('Stages behind the fetchers', report.stages, [
    { head: 'What waits', cell: ({ means }) => means },
    {
      head: 'Full',
      numeric: true,
      cell: ({ used, capacity }) => `${((used / capacity) * 100).toFixed(0)} %`,
    },
    { head: 'Pace left', numeric: true, cell: ({ pace }) => `${(pace * 100).toFixed(0)} %` },
  ])}${table(head('Where the URLs stand', report.states, of.states), report.states, [
    { head: 'State', cell: ({ state }) => state },
    { head: 'Reason', cell: ({ reason }) => reason ?? '–' },
    urlCount(),
  ])}${table('Freshness', report.freshness, [
    { head: 'At', cell: ({ at }) => at },
    { head: 'Fresh', numeric: true, cell: ({ fresh }) => `${fresh.toFixed(1)} %` },
    { head: 'Pages', numeric: true, cell: ({ pages }) => number(pages) },
    { head: 'Left out', numeric: true, cell: ({ leftOut }) => number(leftOut) },
    { head: 'Fetched again', numeric: true, cell: ({ requests }) => number(requests) },
  ])}${table('Left out', cut, [
    { head: 'What', cell: ({ what }) => what },
    { head: 'At URLs', numeric: true, cell: ({ urls: places }) => number(places) },
  ])}${table('Given up, by class', deadLetters, [{ head: 'Class', cell: ({ cause }) => cause }, urlCount()])}${table(
    head('Answers by status', report.statuses, of.statuses),
    report.statuses,
    [{ head: 'Status', cell: ({ status }) => String(status) }, urlCount(), byteCount()],
  )}${table(head('Media types', report.types, of.types), report.types, [{ head: 'Type', cell: ({ type }) => type }, urlCount(), byteCount()])}${table(
    head('Languages', report.languages, of.languages),
    report.languages,
    [
      { head: 'Language', cell: ({ language }) => language ?? 'not told' },
      { head: 'Pages', numeric: true, cell: ({ pages }) => number(pages) },
    ],
  )}${table(head('Links from a seed', report.depths, of.depths), report.depths, [{ head: 'Depth', cell: ({ depth }) => String(depth) }, urlCount()])}${table(
    head('Hosts with most URLs', hosts.busiest, of.hosts.busiest),
    hosts.busiest,
    hostColumns,
  )}${table(head('Hosts that lost most', hosts.failing, of.hosts.failing), hosts.failing, hostColumns)}${table(head('Slowest hosts', hosts.slowest, of.hosts.slowest), hosts.slowest, hostColumns)}${table(
    head('Slowest answers', urls.slowest, of.urls.slowest),
    urls.slowest,
    urlColumns,
  )}${table(head('Largest bodies', urls.biggest, of.urls.biggest), urls.biggest, urlColumns)}${table(
    head('Rejected seeds', report.rejectedSeeds, totals.seeds.rejected),
    report.rejectedSeeds,
    [
      { head: 'Line', numeric: true, cell: ({ line }) => number(line) },
      { head: 'Seed', cell: ({ url }) => url },
      { head: 'Why', cell: ({ reason }) => reason },
    ],
  )}</html>
`;
}
