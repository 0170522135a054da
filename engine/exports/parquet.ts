/**
 * Pages as a Parquet table: a row group for each step, so that a job can be taken up between two of them. What the end
 * of the file says of the row groups is kept in a part of its own until then.
 */
import { deserialize, serialize } from 'node:v8';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import type { Draft } from '../../storage/exports/index.ts';
import { whole, type ExportForm, type Making } from './form.ts';

/** Each row group as v8 serializes it (it has big integers and bytes), behind the four bytes of its length. */
const groups = 'groups';

interface Column {
  readonly name: string;
  readonly elements: readonly SchemaElement[];
  readonly valueOf: (page: PageView) => unknown;
}

type Plain = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;
const words: Plain = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
const integer: Plain = { type: 'INT32' };
const bytes: Plain = { type: 'INT64' };
const boolean: Plain = { type: 'BOOLEAN' };
const instant: Plain = {
  ...{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
};

const column = (
  name: keyof PageView,
  plain: Plain,
  valueOf: (page: PageView) => unknown = (page) => page[name],
): Column => ({ name, elements: [{ name, repetition_type: 'OPTIONAL', ...plain }], valueOf });

const columns: readonly Column[] = [
  column('url', words),
  column('state', words),
  column('status', integer),
  column('reason', words),
  column('title', words),
  column('description', words),
  column('language', words),
  column('words', integer),
  column('linkCount', integer),
  column('contentType', words),
  column('bytes', bytes, (page) => BigInt(page.bytes)),
  column('depth', integer),
  column('fetchedAt', instant, (page) => new Date(page.fetchedAt)),
  column('duplicateOf', words),
  column('duplicateBy', words),
  column('nearDuplicateOf', words, (page) => page.nearDuplicateOf?.url ?? null),
  column('revisitOf', words, (page) => textOf(page.revisitOf)),
  column('redirectTo', words),
  column('canonical', words),
  column('noindex', boolean),
  column('contentHash', words),
  column('reportedHash', words),
  column('cut', words, (page) => (Object.keys(page.cut).length === 0 ? null : JSON.stringify(page.cut))),
];
const textOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
/** As a text of JSON. */
const json = (name: 'meta' | 'fields' | 'anchors' | 'images'): Column =>
  column(name, words, (page) => textOf(page[name] ?? null));
const asked: Readonly<Record<PageField, Column>> = {
  text: column('text', words, (page) => page.text ?? null),
  main: column('main', words, (page) => page.main ?? null),
  links: {
    name: 'links',
    elements: [
      { name: 'links', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'REQUIRED', ...words },
    ],
    valueOf: (page) => page.links ?? null,
  },
  ...{ meta: json('meta'), fields: json('fields'), anchors: json('anchors'), images: json('images') },
};

const columnsOf = (fields: readonly PageField[]): readonly Column[] => [
  ...columns,
  ...fields.map((field) => asked[field]),
];

/** Writes what comes at this place of the file. */
function writerAt(at: number, { fields, software }: Making): ParquetWriter {
  const table = columnsOf(fields);
  const schema: SchemaElement[] = [
    { name: 'pages', num_children: table.length },
    ...table.flatMap(({ elements }) => elements),
  ];
  const bytesFrom = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytesFrom, schema, createdBy: software });
  if (at > 0) {
    // The magic number that the writer begins with is in the file already.
    bytesFrom.index = 0;
    bytesFrom.offset = at;
  }
  return writer;
}

const group = async (making: Making, pages: readonly PageView[]): Promise<void> => {
  const { draft, fields } = making;
  const writer = writerAt(draft.length(whole), making);
  const columnData: ColumnSource[] = columnsOf(fields).map(({ name, valueOf }) => ({
    ...{ name, data: pages.map(valueOf), offsetIndex: false },
  }));
  if (pages.length > 0) await writer.write({ columnData, rowGroupSize: pages.length });
  await draft.append(whole, writer.writer.getBytes());
  for (const each of writer.row_groups) {
    const kept = serialize(each);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(kept.length);
    await draft.append(groups, Buffer.concat([length, kept]));
  }
};

async function readGroups(draft: Draft): Promise<RowGroup[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of draft.read(groups)) chunks.push(chunk);
  const kept = Buffer.concat(chunks);
  const found: RowGroup[] = [];
  for (let at = 0; at < kept.length;) {
    const end = at + 4 + kept.readUInt32LE(at);
    found.push(deserialize(kept.subarray(at + 4, end)) as RowGroup);
    at = end;
  }
  return found;
}

export const parquet: ExportForm = {
  // Some megabytes: what reads tables skips and reads them by row groups.
  pages: 20_000,
  needs: [],
  async add(making, pages) {
    await group(making, pages);
    return null;
  },
  async end(making) {
    const { draft } = making;
    if (draft.length(whole) === 0) await group(making, []);
    const writer = writerAt(draft.length(whole), making);
    writer.row_groups = await readGroups(draft);
    writer.num_rows = writer.row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    await writer.finish();
    await draft.append(whole, writer.writer.getBytes());
  },
};
