/** Files with the pages that fit the filters: made by jobs, downloaded, removed. */
import { useState } from 'preact/hooks';
import type { ExportFormat, ExportView } from '../../../contracts/http/exports.ts';
import type { PageField } from '../../../contracts/page-fields.ts';
import { ask, pathOf, post } from '../../api/client.ts';
import { useAnswer } from '../../api/loading.ts';
import { Action } from '../../parts/action.ts';
import { crawlPath } from '../../parts/crawl-frame.ts';
import { html } from '../../parts/html.ts';
import { bytes, instant, number, words } from '../../parts/shown.ts';
import { loaded, nothing } from '../../parts/states.ts';
import { Table, type Column } from '../../parts/table.ts';
import { query } from '../../router.ts';
import { pageFilter } from './filter.ts';

const formats: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV: a table of pages',
  jsonl: 'JSON lines: a page on each line',
  parquet: 'Parquet: a table of pages',
  markdown: 'Markdown: a zip with a file for each page',
  corpus: 'Corpus: texts with their quality and rights',
  warc: 'WARC: answers with their bodies (gzip)',
  'warc-zstd': 'WARC, by zstd',
  wacz: 'WACZ: an archive to play back',
  links: 'Links: the graph of the crawl',
};
/** Fields that can be added, and the formats that take them. */
const added: readonly PageField[] = ['text', 'main', 'links', 'meta', 'fields'];
const takesFields: readonly ExportFormat[] = ['csv', 'jsonl', 'parquet'];

const everyMs = 2_000;
const isOpen = ({ state }: ExportView): boolean => state === 'waiting' || state === 'running';

export function Exports({ crawl }: { readonly crawl: string }) {
  const path = `${crawlPath(crawl)}/exports`;
  const [watches, setWatches] = useState(false);
  const list = useAnswer<{ readonly items: readonly ExportView[] }>(
    `${path}?limit=20`,
    watches ? everyMs : undefined,
  );
  const open = list.value?.items.some(isOpen) ?? false;
  if (open !== watches) setWatches(open);
  return html`<section aria-labelledby="exports">
    <h2 id="exports">Export this selection</h2>
    <${NewExport} crawl=${crawl} done=${list.again} />
    ${loaded(list, ({ items }) =>
      items.length === 0
        ? nothing('There is no export of this crawl.')
        : html`<${Table}
            caption="Exports, the latest first"
            columns=${columnsOf(path, list.again)}
            rows=${items}
            keyOf=${({ id }: ExportView) => id}
          />`,
    )}
  </section>`;
}

function NewExport({ crawl, done }: { readonly crawl: string; readonly done: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [fields, setFields] = useState<readonly PageField[]>([]);
  const filter = pageFilter();
  const given = Object.entries(filter).map(([name, value]) => `${name} ${value ?? ''}`);
  const takes = takesFields.includes(format);
  const toggle = (event: Event): void => {
    const { value, checked } = event.currentTarget as HTMLInputElement;
    setFields(added.filter((name) => (name === value ? checked : fields.includes(name))));
  };
  const start = async (): Promise<string> => {
    const { id } = await post<ExportView>(`${crawlPath(crawl)}/exports`, {
      ...filter,
      format,
      ...(takes && fields.length > 0 && { fields }),
    });
    done();
    return `Export ${id} has begun.`;
  };
  const atOnce = (as: 'csv' | 'jsonl', name: string) =>
    html`<a href=${pathOf(`${crawlPath(crawl)}/export`, { format: as, ...filter })} download>${name}</a>`;
  return html`<p>
      ${given.length === 0 ? 'All pages of the crawl' : html`The pages with <bdi>${given.join(', ')}</bdi>`},
      up to now.
    </p>
    ${query.value.has('q') && html`<p>Words, language and the second instant choose what is found, not what is exported.</p>`}
    <p>
      At once: ${atOnce('csv', 'CSV')}, ${atOnce('jsonl', 'JSON lines')}. As a file that stays, by a job that
      survives crashes:
    </p>
    <div class="row">
      <label
        >Format
        <select
          onChange=${(event: Event) => {
            setFormat((event.currentTarget as HTMLSelectElement).value as ExportFormat);
          }}
        >
          ${Object.entries(formats).map(([name, text]) => html`<option value=${name} selected=${name === format}>${text}</option>`)}
        </select></label
      >
      ${
        takes &&
        html`<fieldset class="checks">
          <legend>With</legend>
          ${added.map((name) => html`<label><input type="checkbox" value=${name} checked=${fields.includes(name)} onChange=${toggle} /> ${name}</label>`)}
        </fieldset>`
      }
      <${Action} label="Export" kind="main" run=${start} />
    </div>`;
}

function columnsOf(path: string, again: () => void): readonly Column<ExportView>[] {
  const change = (id: string, method: 'POST' | 'DELETE') => async (): Promise<undefined> => {
    await ask(`${path}/${id}${method === 'POST' ? '/cancel' : ''}`, { method });
    again();
  };
  return [
    { name: 'Export', show: ({ id, format }) => `${id}: ${format}`, by: ({ id }) => Number(id) },
    {
      name: 'State',
      show: ({ state, reason }) =>
        html`<span class=${`badge ${state}`}>${words(state)}</span>
          ${reason !== null && html`<bdi>${reason}</bdi>`}`,
    },
    { name: 'Pages', show: progress },
    { name: 'Size', show: (row) => bytes(row.bytes), by: (row) => row.bytes, isNumber: true },
    {
      name: 'Asked for',
      show: ({ createdAt }) => instant(createdAt),
      by: ({ createdAt }) => createdAt,
      isShort: true,
    },
    { name: 'Goes', show: ({ expiresAt }) => (expiresAt === null ? '–' : instant(expiresAt)) },
    {
      name: 'File',
      show: (row) =>
        isOpen(row)
          ? html`<${Action} label="Cancel" run=${change(row.id, 'POST')} />`
          : html`<span class="buttons">
              ${row.file !== null && html`<a href=${`${path}/${row.id}/file`} download=${row.file}>Download</a>`}
              <${Action}
                label="Remove"
                kind="danger"
                run=${change(row.id, 'DELETE')}
                confirm="Its file goes, and cannot be downloaded any more."
              />
            </span>`,
    },
  ];
}

const progress = (row: ExportView) =>
  isOpen(row)
    ? html`<label
        >${number(row.pages)} of ${number(row.ofPages)}
        <progress value=${row.pages} max=${Math.max(1, row.ofPages)}
      /></label>`
    : number(row.pages);
