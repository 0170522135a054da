/** What changed between two answers of a page, as far as a reader of the page can tell. */
import { simhashOf } from '../alike/fingerprint.ts';
import { distanceOf } from '../alike/likeness.ts';
import { mostHairBits } from '../recrawl/page-sign.ts';

/** What was read from a body. */
export interface ReadVersion {
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly canonical: string | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** What else the page says of itself (contracts/http/page-meta.ts). */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The main text. */
  readonly main: string;
  /**
   * Fields by the rules of the crawl (contracts/page-rules.ts); empty: it has none. Null: the rules could not be
   * applied, so texts are of the whole page.
   */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

export interface Answered {
  readonly status: number | null;
  readonly redirectTo: string | null;
  /** Hex; null: the answer had no body. */
  readonly bodyHash: string | null;
  /** Null: there is no body, or the body is gone. */
  readonly read: ReadVersion | null;
}

/** Values of a field before and after; absent where the page does not have the field. */
export interface FieldChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface Change {
  /**
   * Names of what changed, in a fixed order: `status`, `redirectTo`, fields of the page, those of the crawl's rules as
   * `fields.NAME`, `text`, `body`. Never empty.
   */
  readonly fields: readonly string[];
  /** Words of the main text that only one of the answers has, each as often as it has it; null: the text did not change. */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** Bits of SimHash that differ between the main texts; null: the text did not change, or is too short to tell. */
  readonly distance: number | null;
  /** Nothing changed but the text, and that by a hair: a counter, a date. */
  readonly minor: boolean;
}

/** Values of the metadata that follow from others, or say how they were read. */
const derived = new Set(['version', 'mainWords', 'fromState', 'publishedFrom']);

/** The metadata of a page by field, and the fields of the crawl's rules. */
function fieldsOf({ main: _, meta, fields, ...own }: ReadVersion): ReadonlyMap<string, unknown> {
  const ruled = Object.entries(fields ?? {}).map(([name, value]) => [`fields.${name}`, value] as const);
  return new Map([...Object.entries({ ...own, ...meta }).filter(([name]) => !derived.has(name)), ...ruled]);
}

/** Fields of the metadata that differ, with their values, by their names. Null counts as absent. */
export function fieldChanges(before: ReadVersion, after: ReadVersion): FieldChange[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].toSorted().flatMap((field) => {
    const [from, to] = [one.get(field) ?? undefined, other.get(field) ?? undefined];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ field, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) }];
  });
}

/** Null: nothing changed that a reader sees, though bytes of the body may differ. */
export function changeBetween(before: Answered, after: Answered): Change | null {
  const fields: string[] = [];
  if (before.status !== after.status) fields.push('status');
  if (before.redirectTo !== after.redirectTo) fields.push('redirectTo');
  const isOther = before.bodyHash !== null && after.bodyHash !== null && before.bodyHash !== after.bodyHash;
  let text: Pick<Change, 'wordsAdded' | 'wordsRemoved' | 'distance'> = {
    wordsAdded: null,
    wordsRemoved: null,
    distance: null,
  };
  if (
    isOther &&
    before.read !== null &&
    after.read !== null &&
    areAlikeRead(before.read, after.read) &&
    (hasText(before.read) || hasText(after.read))
  ) {
    fields.push(...fieldChanges(before.read, after.read).map(({ field }) => field));
    if (before.read.main !== after.read.main) {
      fields.push('text');
      text = textChange(before.read.main, after.read.main);
    }
  } else if (isOther) fields.push('body');
  if (fields.length === 0) return null;
  const minor =
    fields.every((field) => field === 'text') && text.distance !== null && text.distance <= mostHairBits;
  return { fields, ...text, minor };
}

/** Of two readings of which one went by the rules alone, nothing but the bytes can be compared. */
const areAlikeRead = (before: ReadVersion, after: ReadVersion): boolean =>
  (before.fields === null) === (after.fields === null);

/** A body that says nothing, such as a picture, is compared by its bytes. */
const hasText = ({ main, title }: ReadVersion): boolean => main !== '' || title !== null;

function textChange(before: string, after: string): Pick<Change, 'wordsAdded' | 'wordsRemoved' | 'distance'> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(before)) counts.set(word, (counts.get(word) ?? 0) - 1);
  for (const word of wordsOf(after)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let [wordsAdded, wordsRemoved] = [0, 0];
  for (const count of counts.values()) {
    if (count > 0) wordsAdded += count;
    else wordsRemoved -= count;
  }
  const [one, other] = [simhashOf(before), simhashOf(after)];
  return {
    wordsAdded,
    wordsRemoved,
    distance: one === null || other === null ? null : distanceOf(one, other),
  };
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
