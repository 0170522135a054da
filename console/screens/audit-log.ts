import type { AuditEntry } from '../../contracts/http/audit.ts';
import { pathOf } from '../api/client.ts';
import { useList } from '../api/loading.ts';
import { choice, Form, input, typed } from '../parts/form.ts';
import { html } from '../parts/html.ts';
import { instant, number } from '../parts/shown.ts';
import { listed } from '../parts/states.ts';
import { Table, type Column } from '../parts/table.ts';
import { query, setQuery } from '../router.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const filters = ['actor', 'method', 'target', 'since', 'until'] as const;

const columns: readonly Column<AuditEntry>[] = [
  {
    name: 'When',
    show: ({ at, lastAt }) => `${instant(at)}${lastAt === null ? '' : ` – ${instant(lastAt)}`}`,
  },
  { name: 'Who', show: ({ actor, role }) => `${actor} (${role})` },
  { name: 'What', show: ({ method, target }) => html`<code>${method} ${target}</code>` },
  { name: 'Answer', show: ({ status }) => (status === null ? 'none' : String(status)), isNumber: true },
  {
    name: 'Detail',
    show: ({ detail, times }) => `${detail ?? ''}${times > 1 ? ` (${number(times)} times)` : ''}`,
  },
];

export function AuditLog() {
  const asked = Object.fromEntries(filters.map((name) => [name, query.value.get(name) ?? '']));
  const instantOf = (text = ''): string =>
    Number.isNaN(Date.parse(text)) ? '' : new Date(text).toISOString();
  const entries = useList<AuditEntry>(
    pathOf('/v1/audit-log', {
      ...asked,
      since: instantOf(asked['since']),
      until: instantOf(asked['until']),
      limit: 50,
    }),
  );
  const search = (given: FormData): Promise<undefined> => {
    setQuery(Object.fromEntries(filters.map((name) => [name, typed(given, name) ?? null])));
    return Promise.resolve(undefined);
  };
  return html`<h1 tabindex="-1">Audit log</h1>
    <p class="dim">Changes and downloads that callers of your tenant asked for, newest first.</p>
    <${Form} label="Show" isRow run=${search}>
      ${input({ label: 'Who', name: 'actor', value: asked['actor'] ?? '', placeholder: 'key 7f9c…' })}
      ${choice('Method', 'method', [['', 'any'], ...methods.map((each) => [each, each] as const)], asked['method'])}
      ${input({ label: 'Path begins with', name: 'target', value: asked['target'] ?? '', placeholder: '/v1/crawls/7' })}
      ${input({ label: 'Since', name: 'since', type: 'datetime-local', value: asked['since'] ?? '' })}
      ${input({ label: 'Until', name: 'until', type: 'datetime-local', value: asked['until'] ?? '' })}
    <//>
    ${listed(entries, 'There is no such entry.', (rows) => html`<${Table} caption="Audit log, newest first" columns=${columns} rows=${rows} keyOf=${({ requestId, at }: AuditEntry) => `${requestId} ${at}`} />`)}`;
}
