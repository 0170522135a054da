import type { Deliveries, WebhookView } from '../../contracts/http/webhooks.ts';
import { ask, post } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { counted, instant, number, part, span, words } from '../parts/shown.ts';
import { loaded, nothing } from '../parts/states.ts';
import { facts, Table, type Column } from '../parts/table.ts';
import { base, go } from '../router.ts';

type Attempt = Deliveries['attempts'][number];
type Letter = Deliveries['deadLetters'][number];

const everyMs = 5_000;

const eventOf = (kind: string, crawlId: string | null, eventId: string | null) =>
  html`${kind}${crawlId !== null && html` of <a href=${`${base}/crawls/${crawlId}`}>crawl ${crawlId}</a>, event ${eventId}`}`;

const attempts: readonly Column<Attempt>[] = [
  { name: 'When', show: ({ at }) => instant(at), by: ({ at }) => at },
  { name: 'Event', show: ({ kind, crawlId, eventId }) => eventOf(kind, crawlId, eventId) },
  { name: 'Attempt', show: ({ attempt }) => number(attempt), isNumber: true },
  {
    name: 'Outcome',
    show: ({ outcome, status }) =>
      html`<span class=${`badge ${outcome === 'delivered' ? 'done' : 'failed'}`}>${words(outcome)}</span>
        ${status}`,
  },
  {
    name: 'What',
    show: ({ message }) => html`<span class="clamp" title=${message}>${message ?? '–'}</span>`,
  },
  { name: 'Took', show: ({ tookMs }) => span(tookMs / 1_000), by: ({ tookMs }) => tookMs, isNumber: true },
];

const letters: readonly Column<Letter>[] = [
  { name: 'When', show: ({ at }) => instant(at), by: ({ at }) => at },
  { name: 'Event', show: ({ kind, crawlId, eventId }) => eventOf(kind, crawlId, eventId) },
  { name: 'Attempts', show: ({ attempts: made }) => number(made), isNumber: true },
  {
    name: 'What',
    show: ({ message, status }) => html`<span class="clamp" title=${message}>${status} ${message}</span>`,
  },
];

export function Webhook({ webhook: id }: { readonly webhook: string }) {
  const path = `/v1/webhooks/${part(id)}`;
  const webhook = useAnswer<WebhookView>(path, everyMs);
  const deliveries = useAnswer<Deliveries>(`${path}/deliveries?limit=100`, everyMs);
  return html`<h1 tabindex="-1">Webhook</h1>
    <p><a href=${`${base}/webhooks`}>All webhooks</a></p>
    ${loaded(webhook, (view) => html`${about(view)} ${buttons(view, path, webhook.again)}`)}
    ${loaded(
      deliveries,
      ({ attempts: made, deadLetters }) => html`
        <h2>Latest attempts</h2>
        ${made.length === 0 ? nothing('Nothing has been sent yet.') : html`<${Table} caption="Attempts, the latest first" columns=${attempts} rows=${made} keyOf=${({ messageId, attempt, at }: Attempt) => `${messageId} ${String(attempt)} ${at}`} />`}
        <h2>Events that were given up</h2>
        ${deadLetters.length === 0 ? nothing('None.') : html`<${Table} caption="Events that were given up, the latest first" columns=${letters} rows=${deadLetters} keyOf=${({ crawlId, eventId }: Letter) => `${crawlId} ${eventId}`} />`}
      `,
    )}`;
}

const about = ({
  url,
  kinds,
  crawlId,
  enabled,
  disabledAt,
  disabledReason,
  failures,
  notBefore,
  pendingCrawls,
}: WebhookView) =>
  facts([
    ['To', html`<code>${url}</code>`],
    ['Events', `${kinds?.join(', ') ?? 'all'}${crawlId === null ? '' : ` of crawl ${crawlId}`}`],
    [
      'State',
      enabled
        ? 'enabled'
        : `disabled${disabledAt === null ? '' : ` ${instant(disabledAt)}`}${disabledReason === null ? '' : `: ${disabledReason}`}`,
    ],
    ['Failures in a row', number(failures)],
    ['Crawls with events that wait', number(pendingCrawls)],
    notBefore !== null && ['Next attempt', `not before ${instant(notBefore)}`],
  ]);

function buttons(seen: WebhookView, path: string, again: () => void) {
  const { enabled, crawlId } = seen;
  const turn = async (): Promise<undefined> => {
    await ask(path, { method: 'PATCH', body: { enabled: !enabled }, seen });
    again();
  };
  const test = async (): Promise<string> => {
    await post(`${path}/test`);
    return 'A test is on its way.';
  };
  const remove = async (): Promise<undefined> => {
    await ask(path, { method: 'DELETE' });
    go('/webhooks');
  };
  const replay = async (given: FormData): Promise<string> => {
    const since = new Date(typed(given, 'since') ?? '').toISOString();
    const { crawls } = await post<{ readonly crawls: number }>(`${path}/replay`, {
      since,
      crawlId: typed(given, 'crawlId') ?? crawlId ?? undefined,
    });
    return `Events of ${counted(crawls, 'crawl')} are sent again.`;
  };
  return html`<p class="buttons">
      <${Action} label="Send a test" run=${test} />
      <${Action}
        key=${String(enabled)}
        label=${enabled ? 'Disable' : 'Enable'}
        kind=${enabled ? undefined : 'main'}
        run=${turn}
      />
      <${Action}
        label="Delete"
        kind="danger"
        run=${remove}
        confirm="No event is sent there any more. A request under way may still arrive."
      />
    </p>
    <details>
      <summary>Send events again</summary>
      <${Form} label="Send again" isRow run=${replay}>
        ${input({ label: 'All that happened since', name: 'since', type: 'datetime-local', required: true })}
        ${crawlId === null && input({ label: 'Of crawl', name: 'crawlId', placeholder: 'all' })}
      <//>
    </details>`;
}
