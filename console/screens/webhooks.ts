import { useState } from 'preact/hooks';
import type { CreatedWebhook, WebhookView } from '../../contracts/http/webhooks.ts';
import { post } from '../api/client.ts';
import { useAnswer } from '../api/loading.ts';
import { useFields } from '../api/schemas.ts';
import { Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { Secret } from '../parts/secret.ts';
import { counted, instant, number, part } from '../parts/shown.ts';
import { loaded, nothing } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { base } from '../router.ts';

const columns: readonly Column<WebhookView>[] = [
  {
    name: 'To',
    show: ({ id, url }) => html`<a href=${`${base}/webhooks/${part(id)}`}>${url}</a>`,
    by: ({ url }) => url,
  },
  {
    name: 'Events',
    show: ({ kinds, crawlId }) =>
      `${kinds?.join(', ') ?? 'all'}${crawlId === null ? '' : ` of crawl ${crawlId}`}`,
  },
  {
    name: 'State',
    show: ({ enabled, disabledReason, failures }) =>
      !enabled
        ? html`<span class="badge parked" title=${disabledReason}>Disabled</span>`
        : failures > 0
          ? html`<span class="badge failed">${counted(failures, 'failure')} in a row</span>`
          : html`<span class="badge done">Enabled</span>`,
  },
  {
    name: 'Delivered last',
    show: ({ lastDeliveredAt }) => (lastDeliveredAt === null ? 'never' : instant(lastDeliveredAt)),
  },
  { name: 'Waiting crawls', show: ({ pendingCrawls }) => number(pendingCrawls), isNumber: true },
  { name: 'Given up', show: ({ deadLetters }) => number(deadLetters), isNumber: true },
];

export function Webhooks() {
  const webhooks = useAnswer<{ readonly items: readonly WebhookView[] }>('/v1/webhooks');
  const [made, setMade] = useState<CreatedWebhook | null>(null);
  const create = async (given: FormData): Promise<undefined> => {
    const kinds = given.getAll('kinds');
    const webhook = await post<CreatedWebhook>('/v1/webhooks', {
      url: typed(given, 'url'),
      crawlId: typed(given, 'crawlId'),
      ...(kinds.length > 0 && { kinds }),
    });
    setMade(webhook);
    webhooks.again();
  };
  return html`<h1 tabindex="-1">Webhooks</h1>
    ${
      made !== null &&
      html`<${Secret}
        what=${`The key by which events to ${made.url} are signed`}
        value=${made.secret}
        done=${() => {
          setMade(null);
        }}
      />`
    }
    ${loaded(webhooks, ({ items }) =>
      items.length === 0
        ? nothing('Events are sent nowhere yet.')
        : html`<${Table}
            caption="Webhooks, oldest first"
            columns=${columns}
            rows=${items}
            keyOf=${({ id }: WebhookView) => id}
          />`,
    )}
    <details>
      <summary>Create a webhook</summary>
      <${Form} label="Create" kind="main" run=${create}>
        <div class="fields">
          ${input({ label: 'URL', name: 'url', type: 'url', required: true, placeholder: 'https://example.com/hook', maxLength: 2_048 })}
          ${input({ label: 'Crawl', name: 'crawlId', hint: 'Its id. Empty: all crawls of the tenant.' })}
        </div>
        <${Kinds} />
      <//>
    </details>`;
}

function Kinds() {
  const fields = useFields('NewWebhook');
  return loaded(
    fields,
    (list) =>
      html`<fieldset>
        <legend>Events (none chosen: all, also those of later versions)</legend>
        <div class="row">
          ${list.find(({ name }) => name === 'kinds')?.choices.map((kind) => html`<label><input type="checkbox" name="kinds" value=${kind} /> ${kind}</label>`)}
        </div>
      </fieldset>`,
  );
}
