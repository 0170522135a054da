import { useState } from 'preact/hooks';
import type { HostAction, HostsActed, HostSummary } from '../../contracts/hosts.ts';
import { pathOf, post } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { choice, Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { counted, instant, number, part, span, words } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base, query, setQuery } from '../router.ts';

const states: readonly HostSummary['state'][] = [
  'active',
  'backoff',
  'parked',
  'paused',
  'closed',
  'asking',
  'idle',
];
const stateChoices = [['', 'any'], ...states.map((state) => [state, words(state)] as const)] as const;

const columns: readonly Column<HostSummary>[] = [
  {
    name: 'Host',
    show: ({ origin }) => html`<a href=${`${base}/hosts/${part(origin)}`}>${origin}</a>`,
    by: ({ origin }) => origin,
  },
  {
    name: 'State',
    show: ({ state }) => html`<span class=${`badge ${state}`}>${words(state)}</span>`,
    by: ({ state }) => state,
  },
  { name: 'Queued', show: ({ queued }) => number(queued), by: ({ queued }) => queued, isNumber: true },
  {
    name: 'Dead letters',
    show: ({ deadLetters }) => number(deadLetters),
    by: ({ deadLetters }) => deadLetters,
    isNumber: true,
  },
  {
    name: 'Delay',
    show: ({ delaySeconds }) => span(delaySeconds),
    by: ({ delaySeconds }) => delaySeconds,
    isNumber: true,
  },
  {
    name: 'Next request',
    show: ({ opensAt, notBefore }) => {
      const at = opensAt ?? notBefore;
      return at === null ? '–' : `not before ${instant(at)}`;
    },
    by: ({ opensAt, notBefore }) => opensAt ?? notBefore ?? '',
  },
  {
    name: 'Last error',
    show: ({ lastError, failures }) =>
      lastError === null
        ? '–'
        : html`<span class="clamp" title=${lastError}
            >${failures > 1 ? `${number(failures)} in a row: ` : ''}${lastError}</span
          >`,
  },
];

export function Hosts() {
  const state = query.value.get('state');
  const match = query.value.get('match');
  const hosts = useList<HostSummary>(pathOf('/v1/hosts', { state, match, limit: 50 }));
  const search = (given: FormData): Promise<undefined> => {
    const text = typed(given, 'match') ?? null;
    // Part of a name finds it wherever it stands.
    setQuery({
      state: typed(given, 'state') ?? null,
      match: text === null || /[*]|^re:|:\/\//.test(text) ? text : `*${text}*`,
    });
    return Promise.resolve(undefined);
  };
  return html`<h1 tabindex="-1">Hosts</h1>
    <p><a href=${`${base}/host-reviews`}>Hosts of poor quality</a></p>
    <${Form} label="Show" run=${search} isRow key=${`${state ?? ''} ${match ?? ''}`}>
      ${choice('State', 'state', stateChoices, state ?? '')}
      ${input({ label: 'Origin', name: 'match', value: match ?? '', placeholder: 'example.com or https://*.example.com', maxLength: 1_000 })}
    <//>
    ${listed(hosts, state === null && match === null ? 'No crawl has met a host yet.' : 'No host fits.', (rows) => html`<${Table} caption="Hosts" columns=${columns} rows=${rows} keyOf=${({ origin }: HostSummary) => origin} />`)}
    <section aria-labelledby="many">
      <h2 id="many">Act on many hosts</h2>
      <${Bulk} done=${hosts.again} />
    </section>`;
}

const actions: Readonly<Record<HostAction, string>> = {
  retry: 'Retry: forget their failures and try them now',
  pause: 'Pause: send nothing until they are resumed',
  resume: 'Resume',
  drop: 'Drop: exclude all their queued URLs, for good',
};
const verbs: Readonly<Record<HostAction, string>> = {
  retry: 'Retry',
  pause: 'Pause',
  resume: 'Resume',
  drop: 'Drop the URLs of',
};

interface Wanted {
  readonly action: HostAction;
  readonly state: string | undefined;
  readonly match: string | undefined;
  readonly reason: string | undefined;
}

const shown = 20;
const atOnce = 500;

/** By a filter: first which hosts it would be, then the act, piece by piece until all are done. */
function Bulk({ done }: { readonly done: () => void }) {
  const [preview, setPreview] = useState<{ wanted: Wanted; answer: HostsActed } | null>(null);
  const look = async (given: FormData): Promise<undefined> => {
    const wanted = {
      action: (typed(given, 'action') ?? 'retry') as HostAction,
      state: typed(given, 'state'),
      match: typed(given, 'match'),
      reason: typed(given, 'reason'),
    };
    setPreview(null);
    const answer = await post<HostsActed>('/v1/hosts/bulk', { ...wanted, dryRun: true, limit: atOnce });
    setPreview({ wanted, answer });
  };
  const act = async (): Promise<string> => {
    if (preview === null) return '';
    let [hosts, dropped, cursor] = [0, 0, null as string | null];
    do {
      const answer: HostsActed = await post('/v1/hosts/bulk', {
        ...preview.wanted,
        limit: atOnce,
        ...(cursor !== null && { cursor }),
      });
      hosts += answer.hosts.length;
      dropped += answer.dropped;
      cursor = answer.next;
    } while (cursor !== null);
    done();
    return `Done: ${counted(hosts, 'host')}${dropped > 0 ? `, ${counted(dropped, 'URL')} dropped` : ''}.`;
  };
  return html`<${Form} label="Preview" run=${look} isRow>
      ${choice('What', 'action', Object.entries(actions), 'retry')}
      ${choice('In state', 'state', stateChoices)}
      ${input({ label: 'Origin matches', name: 'match', placeholder: 'https://*.example.com', maxLength: 1_000 })}
      ${input({ label: 'Reason', name: 'reason', maxLength: 500 })}
    <//>
    ${preview !== null && bulkPreview(preview.wanted.action, preview.answer, act)}`;
}

function bulkPreview(action: HostAction, { hosts, unchanged, next }: HostsActed, act: () => Promise<string>) {
  const count = `${number(hosts.length)}${next === null ? '' : ' and more'} ${hosts.length === 1 ? 'host' : 'hosts'}`;
  return html`<div class="notice" role="status">
    <p>
      It would change ${count}; at ${number(unchanged)} there is nothing to do.
      ${next !== null && ' There are more hosts to look at behind these, and they are changed as well.'}
    </p>
    ${
      hosts.length > 0 &&
      html`<ul>
        ${hosts.slice(0, shown).map((origin) => html`<li>${origin}</li>`)}
        ${hosts.length > shown && html`<li>and ${number(hosts.length - shown)} more</li>`}
      </ul>`
    }
    ${(hosts.length > 0 || next !== null) && html`<${Action} label=${`${verbs[action]} ${count}`} kind=${action === 'drop' ? 'danger' : 'main'} run=${act} confirm=${actions[action]} />`}
  </div>`;
}
