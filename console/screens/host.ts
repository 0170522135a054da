import type { DeadLetterView } from '../../contracts/dead-letters.ts';
import type { HostActed, HostAction, HostView } from '../../contracts/hosts.ts';
import type { HostQuality } from '../../contracts/http/host-quality.ts';
import { ask, pathOf, post } from '../api/client.ts';
import { useAnswer, useList } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { Form, typed } from '../parts/form.ts';
import { html, outward } from '../parts/html.ts';
import { counted, instant, number, part, span, words } from '../parts/shown.ts';
import { listed, loaded } from '../parts/states.ts';
import { facts, Table, type Column } from '../parts/table.ts';
import { workflowLink } from '../parts/workflow.ts';
import { base } from '../router.ts';
import { HostSettingsForm } from './host-settings.ts';
import { HostRobotsView } from './host-robots.ts';

const everyMs = 5_000;

export function Host({ origin }: { readonly origin: string }) {
  const path = `/v1/hosts/${part(origin)}`;
  const host = useAnswer<HostView>(path, everyMs);
  return html`<h1 tabindex="-1">${outward(origin)}</h1>
    ${loaded(
      host,
      (view) =>
        html`${state(view)}
          <p class="buttons">${buttons(view, path, host.again)} ${workflowLink(`host/${view.origin}`)}</p>
          ${figures(view)} ${crawls(view)}
          <section aria-labelledby="robots">
            <h2 id="robots">robots.txt</h2>
            <${HostRobotsView} origin=${view.origin} />
          </section>
          <section aria-labelledby="settings">
            <h2 id="settings">Settings</h2>
            <${HostSettingsForm} path=${path} host=${view} done=${host.again} />
          </section>
          <${Quality} path=${path} />
          <${DeadLetters} origin=${view.origin} />`,
    )}`;
}

const state = ({ state: code, lastError, failures, failingSince, parkedAt, closedBy, opensAt }: HostView) =>
  html`<p>
      <span class=${`badge ${code}`}>${words(code)}</span>
      ${parkedAt !== null && ` Parked since ${instant(parkedAt)}.`}
      ${closedBy !== null && ` Its ${closedBy === 'quota' ? 'quota of the day is spent' : 'windows are closed'}${opensAt === null ? '.' : `; it opens at ${instant(opensAt)}.`}`}
      ${failures > 0 && ` ${counted(failures, 'failure')} in a row${failingSince === null ? '' : `, since ${instant(failingSince)}`}.`}
    </p>
    ${lastError !== null && html`<p class="notice">Last error: ${lastError}</p>`}`;

/** What the delay comes from. */
function why({ settings, slowdown, delaySeconds }: HostView): string {
  const from =
    settings.delaySeconds === null
      ? 'of robots.txt, the crawls or the default, whichever is longest'
      : 'set for this host';
  const doubled =
    slowdown === 0
      ? ''
      : `, doubled ${number(slowdown)} ${slowdown === 1 ? 'time' : 'times'} because the host was slow or failing`;
  return `${span(delaySeconds)}: ${from}${doubled}`;
}

const figures = (view: HostView) => {
  const { notBefore, queued, leased, deadLetters, today, quality, region, settings } = view;
  return facts([
    ['Delay in force', why(view)],
    ['Next request', notBefore === null ? 'may be sent now' : `not before ${instant(notBefore)}`],
    ['URLs', `${number(queued)} queued, ${number(leased)} leased`],
    ['Dead letters', number(deadLetters)],
    [
      `Requests on ${today.day}`,
      `${number(today.requests)} of ${number(today.quota)}${today.reserved > 0 ? `, ${number(today.reserved)} reserved` : ''}`,
    ],
    ['Windows', windows(settings)],
    [
      'Quality',
      `${String(Math.round(quality.value * 100))} %${quality.pinned ? ', pinned' : ''}${quality.leftForLater ? ', left for later' : ''}${quality.requestsPerDay === null ? '' : `, ${number(quality.requestsPerDay)} requests a day`}`,
    ],
    region !== null && [
      'Region',
      `${region.name} (by ${region.by}${region.of === null ? '' : `: ${region.of}`}), fetched from ${region.fetchedFrom}`,
    ],
  ]);
};

const windows = ({ windows: set }: HostView['settings']): string =>
  set === null
    ? 'always open'
    : `${set.open.map(({ days, from, to }) => `${days.map(words).join(', ')} ${from}–${to}`).join('; ')} (${set.timeZone})`;

function buttons({ state: code, failures, slowdown, queued }: HostView, path: string, again: () => void) {
  const act = (action: HostAction) => async (): Promise<string> => {
    let [dropped, answer] = [0, await post<HostActed>(`${path}/${action}`)];
    for (dropped += answer.dropped; answer.more; dropped += answer.dropped)
      answer = await post<HostActed>(`${path}/${action}`);
    again();
    if (action === 'drop') return `${counted(dropped, 'URL')} dropped.`;
    return { done: 'Done.', accepted: 'A worker will do it soon.', unchanged: 'There was nothing to do.' }[
      answer.outcome
    ];
  };
  const isTroubled = code === 'parked' || code === 'backoff' || failures > 0 || slowdown > 0;
  return html`
    <${Action}
      label="Retry"
      run=${act('retry')}
      kind=${isTroubled ? 'main' : undefined}
      disabled=${!isTroubled}
      title="Forget its failures and try it now; its delay still holds"
    />
    ${
      code === 'paused'
        ? html`<${Action} key="resume" label="Resume" kind="main" run=${act('resume')} />`
        : html`<${Action}
            key="pause"
            label="Pause"
            run=${act('pause')}
            confirm="No request is sent to this host, for any crawl, until it is resumed."
          />`
    }
    <${Action}
      label="Drop"
      kind="danger"
      run=${act('drop')}
      disabled=${queued === 0}
      confirm=${`Its ${number(queued)} queued URLs are excluded for good, in all crawls. What was fetched stays.`}
    />
  `;
}

const crawlColumns: readonly Column<HostView['crawls'][number]>[] = [
  { name: 'Crawl', show: ({ crawlId }) => html`<a href=${`${base}/crawls/${crawlId}`}>${crawlId}</a>` },
  { name: 'State', show: ({ state: code }) => html`<span class=${`badge ${code}`}>${words(code)}</span>` },
  { name: 'Queued', show: ({ queued }) => number(queued), isNumber: true },
  { name: 'Leased', show: ({ leased }) => number(leased), isNumber: true },
  { name: 'Weight', show: ({ weight }) => number(weight), isNumber: true },
];

const crawls = ({ crawls: rows }: HostView) =>
  rows.length > 0 &&
  html`<section aria-labelledby="crawls">
    <h2 id="crawls">Crawls with work here</h2>
    <${Table}
      caption="Crawls with work at this host"
      columns=${crawlColumns}
      rows=${rows}
      keyOf=${({ crawlId }: HostView['crawls'][number]) => crawlId}
    />
  </section>`;

function Quality({ path }: { readonly path: string }) {
  const quality = useAnswer<HostQuality>(`${path}/quality`);
  const pin = (value: number | null) => async (): Promise<string> => {
    await ask(`${path}/quality`, { method: 'PATCH', body: { quality: value } });
    quality.again();
    return value === null ? 'The daily looks decide again.' : 'Pinned.';
  };
  return html`<section aria-labelledby="quality">
    <h2 id="quality">Quality</h2>
    ${loaded(
      quality,
      ({ quality: value, pinned, parts, urls, lookedAt }) => html`
        <p>
          ${String(Math.round(value * 100))} %${pinned ? ', pinned by an operator' : ''}.${' '}
          ${lookedAt === null ? 'Nobody has looked at it yet.' : `The last look, ${instant(lookedAt)}, saw ${counted(urls, 'URL')}.`}
        </p>
        ${facts(Object.entries(parts).map(([name, share]) => [words(name), `${String(Math.round(share * 100))} %`] as const))}
        <${Form}
          label="Pin"
          isRow
          run=${(given: FormData) => pin(Number(typed(given, 'quality') ?? 100) / 100)()}
          more=${pinned && html`<${Action} label="Leave it to the daily looks" run=${pin(null)} />`}
        >
          <label class="field">
            Quality in percent
            <input
              name="quality"
              type="number"
              min="0"
              max="100"
              step="1"
              defaultValue=${Math.round(value * 100)}
            />
          </label>
        <//>
      `,
    )}
  </section>`;
}

const letterColumns: readonly Column<DeadLetterView>[] = [
  { name: 'URL', show: ({ url }) => outward(url) },
  { name: 'Crawl', show: ({ crawlId }) => html`<a href=${`${base}/crawls/${crawlId}`}>${crawlId}</a>` },
  { name: 'Class', show: ({ class: code }) => words(code), by: ({ class: code }) => code },
  { name: 'What', show: ({ message }) => html`<span class="clamp" title=${message}>${message}</span>` },
  { name: 'When', show: ({ failedAt }) => instant(failedAt), by: ({ failedAt }) => failedAt },
];

function DeadLetters({ origin }: { readonly origin: string }) {
  const letters = useList<DeadLetterView>(pathOf('/v1/dead-letters', { host: origin, limit: 20 }));
  return html`<section aria-labelledby="letters">
    <h2 id="letters">Dead letters</h2>
    ${listed(letters, 'No URL of this host was given up.', (rows) => html`<${Table} caption="Dead letters of this host" columns=${letterColumns} rows=${rows} keyOf=${({ crawlId, url }: DeadLetterView) => `${crawlId} ${url}`} />`)}
  </section>`;
}
