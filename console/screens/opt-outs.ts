import { useState } from 'preact/hooks';
import type {
  ComplaintView,
  OptOutAdded,
  OptOutPreview,
  OptOutRemoved,
  OptOutView,
} from '../../contracts/opt-out.ts';
import { ask, post } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { instant, number, part } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';

export function OptOuts() {
  return html`<h1 tabindex="-1">Opt-outs and complaints</h1>
    <section aria-labelledby="opted-out">
      <h2 id="opted-out">Domains that have opted out</h2>
      <${Domains} />
    </section>
    <section aria-labelledby="complaints">
      <h2 id="complaints">Complaints</h2>
      <${Complaints} />
    </section>`;
}

const reachOf = ({ domain, hosts, urls, publicSuffix }: OptOutPreview): string =>
  `${domain} has ${number(hosts)} known hosts and ${number(urls)} queued URLs, which would be excluded.${publicSuffix ? ' It is a public suffix: others have their domains under it.' : ''}`;

interface Wanted {
  readonly domain: string | undefined;
  readonly reason: string | undefined;
}

function Domains() {
  const domains = useList<OptOutView>('/v1/opt-outs?limit=50');
  const [asked, setAsked] = useState<{ readonly wanted: Wanted; readonly reach: OptOutPreview } | null>(null);
  const look = async (given: FormData): Promise<undefined> => {
    const wanted = { domain: typed(given, 'domain'), reason: typed(given, 'reason') };
    setAsked(null);
    setAsked({ wanted, reach: await post<OptOutPreview>('/v1/opt-outs', { ...wanted, dryRun: true }) });
  };
  const add = async (): Promise<string> => {
    if (asked === null) return '';
    const { publicSuffix } = asked.reach;
    const { excluded, domain } = await post<OptOutAdded>('/v1/opt-outs', { ...asked.wanted, publicSuffix });
    domains.again();
    return `${domain} has opted out; ${number(excluded)} URLs were excluded.`;
  };
  const remove = (domain: string) => async (): Promise<undefined> => {
    let answer: OptOutRemoved;
    do answer = await ask<OptOutRemoved>(`/v1/opt-outs/${part(domain)}`, { method: 'DELETE' });
    while (answer.more);
    domains.again();
  };
  const columns: readonly Column<OptOutView>[] = [
    { name: 'Domain', show: ({ domain }) => domain, by: ({ domain }) => domain },
    { name: 'Why', show: ({ reason }) => reason ?? '–' },
    { name: 'Since', show: ({ createdAt }) => instant(createdAt), by: ({ createdAt }) => createdAt },
    {
      name: 'Action',
      show: ({ domain }) =>
        html`<${Action}
          label="Remove"
          kind="danger"
          run=${remove(domain)}
          confirm=${`Requests may be sent to ${domain} again. The URLs that were excluded are queued again in open crawls.`}
        />`,
    },
  ];
  return html`<${Form} label="Preview" isRow run=${look}>
      ${input({ label: 'Domain', name: 'domain', required: true, placeholder: 'example.com', maxLength: 1_000 })}
      ${input({ label: 'Why', name: 'reason', placeholder: 'their mail of 3 May', maxLength: 500 })}
    <//>
    ${
      asked !== null &&
      html`<div class=${asked.reach.publicSuffix ? 'notice bad' : 'notice'} role="status">
        <p>${reachOf(asked.reach)}</p>
        <${Action}
          label="Opt it out"
          kind=${asked.reach.publicSuffix ? 'danger' : 'main'}
          run=${add}
          confirm=${`No request is sent to ${asked.reach.domain} or below it, by any crawl. It takes two to twenty seconds.`}
        />
      </div>`
    }
    ${listed(domains, 'No domain has opted out.', (rows) => html`<${Table} caption="Domains that have opted out" columns=${columns} rows=${rows} keyOf=${({ domain }: OptOutView) => domain} />`)}`;
}

const complaintColumns: readonly Column<ComplaintView>[] = [
  { name: 'When', show: ({ createdAt }) => instant(createdAt) },
  {
    name: 'Domain',
    show: ({ domain, complaintsOfDomain }) => `${domain} (${number(complaintsOfDomain)} so far)`,
  },
  { name: 'Text', show: ({ text }) => text },
  { name: 'From', show: ({ contact }) => contact ?? '–' },
];

function Complaints() {
  const complaints = useList<ComplaintView>('/v1/complaints?limit=20');
  const add = async (given: FormData): Promise<string> => {
    await post('/v1/complaints', {
      domain: typed(given, 'domain'),
      text: typed(given, 'text'),
      contact: typed(given, 'contact'),
    });
    complaints.again();
    return 'Stored.';
  };
  return html`${listed(complaints, 'Nobody has complained.', (rows) => html`<${Table} caption="Complaints, newest first" columns=${complaintColumns} rows=${rows} keyOf=${({ id }: ComplaintView) => id} />`)}
    <details>
      <summary>Store a complaint</summary>
      <${Form} label="Store" run=${add}>
        <div class="fields">
          ${input({ label: 'Domain', name: 'domain', required: true, placeholder: 'example.com' })}
          ${input({ label: 'From', name: 'contact', maxLength: 320 })}
        </div>
        <label class="field">Text<textarea name="text" rows="3" required maxlength="2000" /></label>
      <//>
    </details>`;
}
