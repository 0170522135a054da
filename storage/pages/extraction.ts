/**
 * The columns of `reading` that hold what extraction found, for the statements that store and read
 * them: those of the list of fields (contracts/page-fields.ts), and what is stored beside these.
 */
import type { PageMeta } from '../../contracts/http/page-meta.ts';
import {
  listedFields,
  listedNames,
  type ListedColumns,
  type ListedExtraction,
} from '../../contracts/page-fields.ts';
import type { PageFields } from '../../contracts/page-rules.ts';

/** As JSON; bytes are hex strings. */
export interface ExtractionRow extends ListedColumns {
  readonly charset: string;
  readonly nofollow: boolean;
  /** Hash of the whole text; null: the text is too short to tell. */
  readonly text_hash: string | null;
  readonly meta: PageMeta | null;
  /** Null: nothing was read by rules. */
  readonly fields: PageFields | null;
  /** The links to follow, packed (storage/pages/outlinks.ts). */
  readonly outlinks: string;
}

const listed = listedNames.filter(
  (name): name is keyof ListedExtraction => listedFields[name].from === 'page',
);

/** By column, its type in the JSON that is stored. */
const types: Readonly<Record<string, string>> = {
  ...Object.fromEntries(listed.map((name) => [listedFields[name].column, listedFields[name].type])),
  charset: 'text',
  nofollow: 'boolean',
  text_hash: 'text',
  meta: 'jsonb',
  fields: 'jsonb',
  outlinks: 'text',
};

const each = (write: (column: string, type: string) => string): string =>
  Object.entries(types)
    .map(([column, type]) => write(column, type))
    .join(', ');

/** Of what extraction found, the fields that are listed. */
export const listedColumns = (found: ListedExtraction): ListedColumns =>
  Object.fromEntries(listed.map((name) => [listedFields[name].column, found[name]])) as ListedColumns;

/** The columns as a list in SQL, and with their types as `json_to_recordset` wants them. */
export const extractionColumns = each((column) => column);
export const extractionTypes = each((column, type) => `${column} ${type}`);

/** The columns of a row of such JSON, as they are stored. */
export const extractionOf = (row: string): string =>
  each((column) => (column === 'text_hash' ? `decode(${row}.text_hash, 'hex')` : `${row}.${column}`));

/** For `update`: all columns as the row has them. */
export const extractionSet = (row: string): string => each((column) => `${column} = ${row}.${column}`);

/** A stored row as JSON, with what limits left out. */
export const extractionJson = (row: string, cut: string): string =>
  `json_build_object('cut', ${cut}, ${each((column) =>
    column === 'text_hash' ? `'text_hash', encode(${row}.text_hash, 'hex')` : `'${column}', ${row}.${column}`,
  )})`;
