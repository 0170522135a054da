/** URLs that a crawl gave up: looked at, and queued again in bulk. */
import { useState } from 'preact/hooks';
import type { DeadLetterView, NewRedrive, RedriveAnswer } from '../../../contracts/dead-letters.ts';
import { pathOf, post } from '../../api/client.ts';
import { useList } from '../../api/loading.ts';
import { Action } from '../../parts/action.ts';
import { crawlPath, useCrawl } from '../../parts/crawl-frame.ts';
import { crawlUrl } from '../../parts/crawl-url.ts';
import { asOrigin, fieldsOf } from '../../parts/forms.ts';
import { html } from '../../parts/html.ts';
import { instant, number, words } from '../../parts/shown.ts';
import { listed } from '../../parts/states.ts';
import { Table, type Column } from '../../parts/table.ts';
import { query, setQuery } from '../../router.ts';

export function DeadLetters({ crawl }: { readonly crawl: string }) {
  const path = `${crawlPath(crawl)}/dead-letters`;
  const view = useCrawl();
  const [kind, host] = [query.value.get('class'), query.value.get('host')];
  const letters = useList<DeadLetterView>(pathOf(path, { class: kind, host, limit: 50 }));
  const [said, setSaid] = useState('');
  // What it did is said here, since the row with its button may go.
  const redrive = (choice: object) => async (): Promise<undefined> => {
    const answer = await post<RedriveAnswer>(`${path}/redrive`, choice satisfies NewRedrive);
    setSaid(told(answer));
    letters.again();
    view.again();
  };
  const byClass = Object.entries(view.value?.deadLetters ?? {});
  const all = byClass.reduce((sum, [, count]) => sum + count, 0);
  const ofClass = byClass.find(([name]) => name === kind)?.[1] ?? 0;
  const which = [
    kind === null ? `${number(all)} dead letters` : `${number(ofClass)} dead letters of class ${kind}`,
    host !== null && `, those of them at ${host}`,
  ];
  const submit = (event: Event): void => {
    const field = fieldsOf(event);
    setQuery({ class: field('class'), host: asOrigin(field('host')) });
  };
  return html`<h2>Dead letters</h2>
    <p class="dim">
      URLs that were given up after their tries, or refused for good. Queued again, each has all its tries.
    </p>
    <form onSubmit=${submit} aria-label="Which dead letters">
      <div class="row">
        <label
          >Class
          <select name="class">
            <option value="">All classes (${number(all)})</option>
            ${byClass.map(([name, count]) => html`<option value=${name} selected=${name === kind}>${words(name)} (${number(count)})</option>`)}
          </select></label
        >
        <label
          >Host
          <input name="host" defaultValue=${host ?? ''} placeholder="https://example.com" maxlength="1000"
        /></label>
        <button>Show</button>
      </div>
    </form>
    <p>
      <${Action}
        label=${kind === null && host === null ? 'Queue all again' : 'Queue all of these again'}
        kind="main"
        disabled=${letters.value === undefined || letters.value.length === 0}
        run=${redrive({ ...(kind !== null && { class: kind }), ...(host !== null && { host }) })}
        confirm=${html`<p>This concerns ${which}, also those that are not shown.</p>
          <p>
            Each is fetched again by the usual rules: never faster than its host allows. What was refused
            (401, 403) less than seven days ago
            stays.${host !== null && kind === null && ' If the host is parked and your key may change hosts, it is tried again.'}
          </p>`}
      />
    </p>
    <p role="status">${said}</p>
    ${listed(
      letters,
      kind === null && host === null ? 'Nothing was given up.' : 'No dead letter is of this class and host.',
      (rows) =>
        html`<${Table}
          caption="Dead letters, host by host"
          columns=${columnsOf(crawl, (url) => redrive({ url }))}
          rows=${rows}
          keyOf=${({ url }: DeadLetterView) => url}
        />`,
    )}`;
}

function told({ done, queued, waitingAtParkedHosts, resting, notBefore, unparked }: RedriveAnswer): string {
  return [
    `${number(queued)} queued again`,
    waitingAtParkedHosts > 0 && `${number(waitingAtParkedHosts)} of them wait at parked hosts`,
    resting > 0 &&
      `${number(resting)} stay${notBefore === null ? '' : `, the first until ${instant(notBefore)}`}`,
    unparked && 'the host is tried again',
    !done && 'the rest follows by itself',
  ]
    .filter((text) => text !== false)
    .join('; ');
}

const columnsOf = (
  crawl: string,
  redrive: (url: string) => () => Promise<undefined>,
): readonly Column<DeadLetterView>[] => [
  { name: 'URL', show: ({ url }) => crawlUrl(crawl, url, false), by: ({ url }) => url },
  {
    name: 'Class',
    show: ({ class: kind, hostParked }) =>
      html`${words(kind)}${hostParked && html` <span class="badge parked">Host parked</span>`}`,
    by: ({ class: kind }) => kind,
  },
  { name: 'Status', show: ({ status }) => status ?? '–', by: ({ status }) => status ?? 0, isNumber: true },
  { name: 'Evidence', show: evidence },
  {
    name: 'Given up',
    show: ({ failedAt }) => instant(failedAt),
    by: ({ failedAt }) => failedAt,
    isShort: true,
  },
  {
    name: 'Cure',
    show: ({ url, notBefore }) =>
      notBefore !== null && Date.parse(notBefore) > Date.now()
        ? `rests until ${instant(notBefore)}`
        : html`<${Action} label="Queue again" run=${redrive(url)} />`,
  },
];

const mostMessage = 300;

function evidence({ message, headers, attemptedAt }: DeadLetterView) {
  const fields = Object.entries(headers ?? {});
  return html`<bdi class="prose">${message.slice(0, mostMessage)}</bdi>
    <details>
      <summary>More</summary>
      ${attemptedAt.length > 0 && html`<p class="dim">Requests that came to nothing: ${attemptedAt.map(instant).join(', ')}</p>`}
      ${fields.length > 0 && html`<pre><bdi>${fields.map(([name, value]) => `${name}: ${value}`).join('\n')}</bdi></pre>`}
    </details>`;
}
