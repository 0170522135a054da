import { useState } from 'preact/hooks';
import type { CreatedKey, KeyView, TenantDetail } from '../../contracts/tenancy.ts';
import { ask, post, session } from '../api/client.ts';
import { useAnswer, useList } from '../api/loading.ts';
import { Action } from '../parts/action.ts';
import { choice, Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { Secret } from '../parts/secret.ts';
import { bytes, instant, number, part, words } from '../parts/shown.ts';
import { listed, loaded } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { Tenants } from './tenants.ts';

export function Access() {
  const who = session.value;
  return html`<h1 tabindex="-1">Keys and tenants</h1>
    <section aria-labelledby="own">
      <h2 id="own">Your tenant</h2>
      <${OwnTenant} />
    </section>
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <${Keys} />
    </section>
    ${
      who?.instance === true &&
      who.role === 'admin' &&
      html`<section aria-labelledby="tenants">
        <h2 id="tenants">Tenants</h2>
        <${Tenants} />
      </section>`
    }`;
}

interface Quota {
  readonly name: keyof TenantDetail['quotas'];
  readonly most: number | null;
  readonly used: number | undefined;
}

const amount = (name: string, value: number): string =>
  name === 'storedBytes' ? bytes(value) : number(value);

const quotaColumns: readonly Column<Quota>[] = [
  { name: 'Quota', show: ({ name }) => words(name.replaceAll(/[A-Z]/g, ' $&').toLowerCase()) },
  { name: 'Used', show: ({ name, used }) => (used === undefined ? '–' : amount(name, used)), isNumber: true },
  { name: 'Limit', show: ({ name, most }) => (most === null ? 'none' : amount(name, most)), isNumber: true },
];

function OwnTenant() {
  const tenant = useAnswer<TenantDetail>('/v1/tenant');
  return loaded(tenant, ({ id, name, quotas, used }) => {
    const rows = (Object.keys(quotas) as Quota['name'][]).map((each) => ({
      name: each,
      most: quotas[each],
      used: (used as Partial<Record<string, number>>)[each],
    }));
    return html`<p>${name} (${id})</p>
      <${Table}
        caption="Quotas of your tenant"
        columns=${quotaColumns}
        rows=${rows}
        keyOf=${(row: Quota) => row.name}
      />`;
  });
}

function Keys() {
  const keys = useList<KeyView>('/v1/keys?limit=50');
  const [made, setMade] = useState<CreatedKey | null>(null);
  const revoke = (id: string) => async (): Promise<undefined> => {
    await ask(`/v1/keys/${part(id)}`, { method: 'DELETE' });
    keys.again();
  };
  const create = async (given: FormData): Promise<undefined> => {
    const [until, scopes] = [typed(given, 'expiresAt'), given.getAll('scopes')];
    setMade(
      await post<CreatedKey>('/v1/keys', {
        name: typed(given, 'name'),
        role: typed(given, 'role'),
        ...(scopes.length > 0 && { scopes }),
        ...(until !== undefined && { expiresAt: new Date(until).toISOString() }),
        tenantId: typed(given, 'tenantId'),
      }),
    );
    keys.again();
  };
  const columns: readonly Column<KeyView>[] = [
    { name: 'Name', show: ({ name }) => name, by: ({ name }) => name },
    { name: 'Begins', show: ({ prefix }) => html`<code>${prefix}…</code>` },
    { name: 'Role', show: ({ role }) => words(role), by: ({ role }) => role },
    { name: 'Parts of the API', show: ({ scopes }) => scopes?.join(', ') ?? 'all' },
    { name: 'Made', show: ({ createdAt }) => instant(createdAt), by: ({ createdAt }) => createdAt },
    { name: 'Last used', show: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : instant(lastUsedAt)), by: ({ lastUsedAt }) => lastUsedAt ?? '' }, // prettier-ignore
    {
      name: 'Ends',
      show: ({ revokedAt, expiresAt }) =>
        revokedAt !== null
          ? `revoked ${instant(revokedAt)}`
          : expiresAt === null
            ? 'never'
            : instant(expiresAt),
    },
    {
      name: 'Action',
      show: ({ id, name, revokedAt }) =>
        revokedAt === null &&
        html`<${Action}
          label="Revoke"
          kind="danger"
          run=${revoke(id)}
          confirm=${`Every process refuses the key ${name} within five seconds. It cannot be taken back.`}
        />`,
    },
  ];
  return html`${listed(keys, 'There is no key.', (rows) => html`<${Table} caption="Keys, oldest first" columns=${columns} rows=${rows} keyOf=${({ id }: KeyView) => id} />`)}
    ${
      made !== null &&
      html`<${Secret}
        what=${`The key ${made.name}`}
        value=${made.key}
        done=${() => {
          setMade(null);
        }}
      />`
    }
    <details>
      <summary>Create a key</summary>
      <${NewKey} run=${create} />
    </details>`;
}

const roles = ['reader', 'operator', 'admin'];
const scopes = ['crawls', 'fetch', 'hosts', 'opt-outs', 'keys', 'tenants', 'metrics', 'webhooks'];

const NewKey = ({ run }: { readonly run: (given: FormData) => Promise<undefined> }) =>
  html`<${Form} label="Create" kind="main" run=${run}>
    <div class="fields">
      ${input({ label: 'Name', name: 'name', required: true, maxLength: 100, hint: 'What it is for.' })}
      ${choice(
        'Role',
        'role',
        roles.map((role) => [role, words(role)] as const),
        'reader',
      )}
      ${input({ label: 'Expires', name: 'expiresAt', type: 'datetime-local', hint: 'Empty: never.' })}
      ${session.value?.instance === true && input({ label: 'Tenant', name: 'tenantId', hint: 'Its id. Empty: your own.' })}
    </div>
    <fieldset>
      <legend>Parts of the API (none chosen: all that the role allows)</legend>
      <div class="row">
        ${scopes.map((scope) => html`<label><input type="checkbox" name="scopes" value=${scope} /> ${scope}</label>`)}
      </div>
    </fieldset>
  <//>`;
