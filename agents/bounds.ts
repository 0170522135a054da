/**
 * How much one result holds. A model reads all that it is given and has little room: a result has some 8,000 tokens at
 * most, says what is left, and how to get it.
 */

/** Characters of a result; a token has about four. */
export const mostCharacters = 32_000;
/** Characters that are left for what comes from the web: our own sentences and the mark take the others. */
export const webCharacters = 30_000;

/** Characters of one text within an item of a list. */
const longestText = 500;
/** Entries of one list within an item. */
const longestList = 50;

export interface Piece {
  readonly text: string;
  /** Where the piece begins and ends, in characters (UTF-16) of the whole. */
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** A piece of a text; it splits no character in two. */
export function pieceOf(whole: string, offset: number, most = webCharacters): Piece {
  const from = atCharacter(whole, Math.min(offset, whole.length));
  const to = atCharacter(whole, Math.min(from + most, whole.length));
  return { text: whole.slice(from, to), from, to, of: whole.length };
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const atCharacter = (text: string, at: number): number =>
  at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at;

/** The same value with long texts and lists cut, each with how much is missing. */
export function shortened(value: unknown, most = longestText): unknown {
  if (typeof value === 'string') {
    const { text, to, of } = pieceOf(value, 0, most);
    return to === of ? value : `${text}… (${String(of - to)} more characters)`;
  }
  if (Array.isArray(value)) {
    const shown: unknown[] = value.slice(0, longestList).map((each) => shortened(each, most));
    return value.length > longestList ? [...shown, `… (${String(value.length - longestList)} more)`] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each, most)]));
}

/** One item a line. */
export const linesOf = (items: readonly object[]): string =>
  items.map((item) => JSON.stringify(item)).join('\n');

/** How many of the first items fit into a result. */
export function fittingOf(items: readonly object[], most = webCharacters): number {
  let left = most + 1;
  const over = items.findIndex((item) => (left -= JSON.stringify(item).length + 1) < 0);
  return over < 0 ? items.length : over;
}

export interface PartOfList<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  /** Absent: there is more exactly if `next` is not null. */
  readonly more?: boolean | undefined;
}

/**
 * A part of a list that fits into a result, and the cursor behind it. Where too much has come, the same part is asked for
 * again with fewer items, so that the cursor of the API is that of the last item shown and nothing is left out.
 * @param ask the part that begins where the caller is, with so many items at most
 */
export async function partThatFits<L extends PartOfList<unknown>>(
  limit: number,
  ask: (limit: number) => Promise<L>,
  show: (item: L['items'][number]) => object,
): Promise<{ readonly items: readonly object[]; readonly answer: L }> {
  for (let most = limit; ;) {
    const answer = await ask(most);
    const items = answer.items.map((item) => shortened(show(item)) as object);
    const fitting = fittingOf(items);
    if (fitting === items.length) return { items, answer };
    // One item alone, with all its texts cut, may still be too long if it has hundreds of fields.
    if (most === 1) return { items: items.map((item) => shortened(item, 50) as object), answer };
    most = Math.max(1, Math.min(fitting, most - 1));
  }
}
