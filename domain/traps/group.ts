/** What is known of the pages of one shape at one host. */

/** Pages of a shape on which a rule decides. */
export const window = 32;

/** What one page showed, for a group: flags, two small counts and a few bits of its text's print in one number. */
export const flags = {
  /** Its words were met often before, and there are enough of them. */
  same: 1,
  /** Its words, numbers left aside, were met often before; of a loop's pages, also if its body was met at all. */
  numbers: 2,
  /** It brought URLs of the shape that were new. */
  grew: 4,
  /** At least half of its links to the host were new URLs of the shape. */
  onlyNew: 8,
  /** Its URL names something of which the text says nothing. */
  alien: 16,
  /** It brought words, and a text that was not met often. */
  novel: 32,
  /** Its answer took long. */
  slow: 64,
} as const;
export const termsShift = 8;
export const newTermsShift = 16;
export const printShift = 24;

export const termsOf = (page: number): number => (page >> termsShift) & 0xff;
export const newTermsOf = (page: number): number => (page >> newTermsShift) & 0xff;

/** Pages with the same text have the same bits; few others have them too. */
export const printOf = (page: number): number => (page >> printShift) & 0x7f;

export interface Group {
  readonly shape: string;
  /** Pages observed. */
  pages: number;
  /** New URLs that were found. */
  found: number;
  /** Pages in a row of which each brought new URLs of the shape and hardly anything else. */
  streak: number;
  /** Day (since the epoch) of `today`, and new URLs found in that day. */
  day: number;
  today: number;
  /** A page had more than `crowd` links of the shape. */
  crowded: boolean;
  /** The last pages, the latest last. */
  recent: number[];
}
