import { useState } from 'preact/hooks';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import { ask, post } from '../api/client.ts';
import { useStream } from '../api/live.ts';
import { useAnswer } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { Chart } from '../parts/chart.ts';
import { crawlPath, useCrawl } from '../parts/crawl-frame.ts';
import { html } from '../parts/html.ts';
import { ledgerBar } from '../parts/ledger.ts';
import { bytes, number, part, span } from '../parts/shown.ts';
import { loaded } from '../parts/states.ts';
import { facts } from '../parts/table.ts';
import { base, go } from '../router.ts';
import { LatestPages } from './crawl-latest.ts';

interface Progress extends Pick<CrawlView, 'ledger' | 'pages' | 'fetches' | 'bytes' | 'state'> {
  /** Absent: from an API of an older version, beside this one. */
  readonly rate?: CrawlView['rate'];
  /** Seconds since 1970. */
  readonly at: number;
}

const keptPoints = 900;
const everyMs = 10_000;

export function Crawl({ crawl: id }: { readonly crawl: string }) {
  const path = crawlPath(id);
  const crawl = useCrawl();
  const time = useAnswer<CrawlTimeView>(`${path}/time`, everyMs);
  const [progress, setProgress] = useState<readonly Progress[]>([]);
  useStream(id, ({ event, data }) => {
    if (event === 'progress')
      setProgress((before) => [
        ...before.slice(-keptPoints),
        { ...(data as Omit<Progress, 'at'>), at: Date.now() / 1_000 },
      ]);
    else if (event.startsWith('crawl.')) crawl.again();
  });
  const change = (what: string) => async (): Promise<undefined> => {
    await post(`${path}/${what}`);
    crawl.again();
  };
  const remove = async (): Promise<undefined> => {
    await ask(path, { method: 'DELETE' });
    go('/');
  };
  return loaded(crawl, (view) => {
    const now = progress.at(-1) ?? view;
    const isOpen = ['seeding', 'running', 'paused', 'draining'].includes(view.state);
    return html`${view.reason !== null && html`<p>${view.reason}</p>`}
      <p class="buttons">
        ${view.state === 'running' && html`<${Action} label="Pause" run=${change('pause')} />`}
        ${view.state === 'paused' && html`<${Action} label="Resume" kind="main" run=${change('resume')} />`}
        ${isOpen && html`<${Action} label="Cancel" kind="danger" run=${change('cancel')} confirm="Its queued URLs are excluded. What was fetched stays." />`}
        ${!isOpen && html`<${Action} label="Delete" kind="danger" run=${remove} confirm="Its pages, bodies, exports and settings are deleted. Nothing brings them back." />`}
        <a href=${`${base}/new?from=${part(id)}`}>Clone</a>
      </p>
      ${ledgerBar(now.ledger)} ${(isOpen || progress.length > 1) && charts(progress)}
      <section aria-labelledby="holds">
        <h2 id="holds">What holds it up</h2>
        ${loaded(
          time,
          ({ summary, eta }) =>
            html`<p>${summary}</p>
              ${eta !== null && !summary.includes(eta.because) && html`<p>${eta.because}</p>`}`,
        )}
      </section>
      <section aria-labelledby="latest">
        <h2 id="latest">Latest pages</h2>
        <${LatestPages} crawl=${id} isOpen=${isOpen} />
      </section>
      ${facts([
        ['Pages', number(now.pages)],
        ['Requests answered', number(now.fetches)],
        ['Bytes', bytes(now.bytes)],
        ['Rate', `${number(Math.round(view.rate.perSecond * 10) / 10)} URLs a second`],
        [
          'Hosts',
          `${number(view.hosts.total)} in all, ${number(view.hosts.working)} at work now, ${number(view.hosts.waiting)} with URLs that wait, ${number(view.hosts.parked)} parked`,
        ],
        ['Time', view.seconds === null ? 'not begun' : span(view.seconds)],
      ])}`;
  });
}

const statuses = [
  { name: '2xx', colour: '--state-done' },
  { name: '3xx', colour: '--state-leased' },
  { name: '4xx', colour: '--state-dead' },
  { name: '5xx', colour: '--state-failed' },
] as const;

const charts = (progress: readonly Progress[]) =>
  html`<div class="charts">
    <${Chart}
      title="URLs a second"
      lines=${[{ name: 'answered', colour: '--state-done' }]}
      data=${rates(progress, ({ fetches }) => fetches)}
    />
    <${Chart}
      title="Answers a second, by status"
      lines=${[...statuses, { name: 'failed', colour: '--state-queued' }]}
      data=${[
        progress.map(({ at }) => at),
        ...statuses.map(({ name }) => progress.map(({ rate }) => rate?.statuses[name] ?? null)),
        [null, ...rates(progress, ({ ledger }) => ledger.failed)[1]].slice(0, progress.length),
      ]}
    />
    <${Chart}
      title="Bytes a second"
      lines=${[{ name: 'fetched', colour: '--state-leased' }]}
      data=${rates(progress, (point) => point.bytes)}
      show=${bytes}
    />
    <${Chart}
      title="Queue"
      lines=${[{ name: 'queued', colour: '--state-queued' }]}
      data=${[progress.map(({ at }) => at), progress.map(({ ledger }) => ledger.queued)]}
      show=${number}
    />
  </div>`;

/** How fast something grows, between each two points. */
function rates(points: readonly Progress[], of: (point: Progress) => number): [number[], (number | null)[]] {
  const later = points.slice(1);
  return [
    later.map(({ at }) => at),
    later.map((point, index) => {
      const before = points[index];
      return before === undefined || point.at <= before.at
        ? null
        : Math.max(0, (of(point) - of(before)) / (point.at - before.at));
    }),
  ];
}
