import { useState } from 'preact/hooks';
import type { TenantDetail, TenantView } from '../../contracts/tenancy.ts';
import { ask, post } from '../api/client.ts';
import { useAnswer, useList } from '../api/loading.ts';
import { useFields, type Field } from '../api/schemas.ts';
import { Action, Dialog, useAct } from '../parts/action.ts';
import { bodyOf, Fields, problemsOf, remaining, textOf, type Texts } from '../parts/fields.ts';
import { Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { instant, part } from '../parts/shown.ts';
import { listed, loaded } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';

export function Tenants() {
  const tenants = useList<TenantView>('/v1/tenants?limit=50');
  const [chosen, setChosen] = useState<TenantView | null>(null);
  const create = async (given: FormData): Promise<string> => {
    const { id } = await post<TenantView>('/v1/tenants', { name: typed(given, 'name') });
    tenants.again();
    return `Tenant ${id} is made; give it a key.`;
  };
  const shut = (id: string) => async (): Promise<undefined> => {
    await ask(`/v1/tenants/${part(id)}`, { method: 'DELETE' });
    tenants.again();
  };
  const columns: readonly Column<TenantView>[] = [
    { name: 'Id', show: ({ id }) => id },
    { name: 'Name', show: ({ name }) => name, by: ({ name }) => name },
    { name: 'Made', show: ({ createdAt }) => instant(createdAt), by: ({ createdAt }) => createdAt },
    { name: 'Closed', show: ({ closedAt }) => (closedAt === null ? 'no' : instant(closedAt)) },
    {
      name: 'Action',
      show: (tenant) =>
        tenant.closedAt === null &&
        html`<span class="buttons">
          <button
            type="button"
            onClick=${() => {
              setChosen(tenant);
            }}
          >
            Quotas
          </button>
          <${Action}
            label="Close"
            kind="danger"
            run=${shut(tenant.id)}
            confirm=${`The keys and tokens of ${tenant.name} are refused from now on. Its crawls and pages stay.`}
          />
        </span>`,
    },
  ];
  const close = (): void => {
    setChosen(null);
  };
  return html`${listed(tenants, 'There is no tenant.', (rows) => html`<${Table} caption="Tenants, by id" columns=${columns} rows=${rows} keyOf=${({ id }: TenantView) => id} />`)}
    <${Form} label="Create a tenant" isRow run=${create}>
      ${input({ label: 'Name', name: 'name', required: true, maxLength: 100 })}
    <//>
    ${
      chosen !== null &&
      html`<${Dialog} title=${`Quotas of ${chosen.name}`} close=${close}>
        <${Quotas} tenant=${chosen} done=${tenants.again} close=${close} />
      <//>`
    }`;
}

interface QuotasProps {
  readonly tenant: TenantView;
  readonly done: () => void;
  readonly close: () => void;
}

function Quotas(props: QuotasProps) {
  const fields = useFields('QuotasAsked');
  const now = useAnswer<TenantDetail>(`/v1/tenants/${part(props.tenant.id)}`);
  return loaded(fields, (list) =>
    loaded(now, (tenant) => html`<${QuotaForm} fields=${list} ...${props} tenant=${tenant} />`),
  );
}

function QuotaForm({ tenant, done, close, fields }: QuotasProps & { readonly fields: readonly Field[] }) {
  const before: Texts = Object.fromEntries(
    fields.map((field) => [
      field.name,
      textOf(field, (tenant.quotas as Record<string, unknown>)[field.name]),
    ]),
  );
  const [texts, setTexts] = useState(before);
  const { body, problems } = bodyOf(fields, texts, before);
  const { busy, refusal, act } = useAct(async () => {
    await ask(`/v1/tenants/${part(tenant.id)}`, { method: 'PATCH', body: { quotas: body }, seen: tenant });
    done();
    close();
    return undefined;
  });
  const atFields = { ...problemsOf(refusal, fields), ...problems };
  return html`<form
    onSubmit=${(event: SubmitEvent) => {
      event.preventDefault();
      void act();
    }}
  >
    <${Fields}
      fields=${fields}
      texts=${texts}
      problems=${atFields}
      change=${(name: string, text: string) => {
        setTexts((was) => ({ ...was, [name]: text }));
      }}
    />
    <p class="buttons">
      <button class="main" disabled=${busy || Object.keys(body).length === 0}>Save</button>
      <button type="button" onClick=${close}>Leave it</button>
    </p>
    ${remaining(refusal, atFields)}
  </form>`;
}
