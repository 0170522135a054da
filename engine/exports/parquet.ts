/**
 * Pages as a Parquet table: a row group for each step, so that a job can be taken up between two of them. What the end
 * of the file says of the row groups is kept in a part of its own until then.
 */
import { deserialize, serialize } from 'node:v8';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { z } from 'zod';
import { ByteWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer';
import type { PageView } from '../../contracts/http/results.ts';
import { listedFields, listedNames, type ListedField, type PageField } from '../../contracts/page-fields.ts';
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
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
};

/** As the field's schema has it; objects are texts of JSON. */
function plainOf(schema: z.ZodType): Plain {
  const bare = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (bare instanceof z.ZodISODateTime) return instant;
  if (bare instanceof z.ZodBoolean) return boolean;
  return bare instanceof z.ZodNumber ? integer : words;
}

const column = (
  name: ListedField | PageField,
  plain: Plain,
  valueOf: (page: PageView) => unknown = (page) => cellOf(page[name] ?? null, plain),
): Column => ({ name, elements: [{ name, repetition_type: 'OPTIONAL', ...plain }], valueOf });

function cellOf(value: PageView[ListedField | PageField], plain: Plain): unknown {
  if (plain === instant && typeof value === 'string') return new Date(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Columns that are not made from their fields alone. */
const own: { readonly [F in ListedField]?: Column } = {
  bytes: column('bytes', bytes, (page) => BigInt(page.bytes)),
  nearDuplicateOf: column('nearDuplicateOf', words, (page) => page.nearDuplicateOf?.url ?? null),
  cut: column('cut', words, (page) => (Object.keys(page.cut).length === 0 ? null : JSON.stringify(page.cut))),
};
const columns = listedNames.map((name) => own[name] ?? column(name, plainOf(listedFields[name].schema)));

const links: Column = {
  name: 'links',
  elements: [
    { name: 'links', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...words },
  ],
  valueOf: (page) => page.links ?? null,
};

const columnsOf = (fields: readonly PageField[]): readonly Column[] => [
  ...columns,
  ...fields.map((field) => (field === 'links' ? links : column(field, words))),
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
    name,
    data: pages.map(valueOf),
    offsetIndex: false,
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
