/**
 * Rules by which a crawl reads its pages: which values of a page are fields, which parts are its text, which links are
 * followed. Stored with the settings of the crawl (`CrawlConfig.rules`).
 */

export const fieldTypes = ['text', 'number', 'integer', 'boolean', 'date', 'url'] as const;
export type FieldType = (typeof fieldTypes)[number];

export interface FieldRule {
  /** CSS selector. */
  readonly select: string;
  readonly type: FieldType;
  /** The attribute that holds the value; absent: see content/rules/fields.ts. */
  readonly attribute?: string | undefined;
  /** All elements that match, as a list; otherwise the first. */
  readonly many?: boolean | undefined;
  /** The sign before the decimals of numbers; absent: a point. */
  readonly decimal?: '.' | ',' | undefined;
}

/** Values of `rel` by which a page asks not to follow a link. */
export const barringRelations = ['nofollow', 'ugc', 'sponsored'] as const;
export type BarringRelation = (typeof barringRelations)[number];

export interface PageRules {
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** CSS selectors. If there are any, the text of a page is what matches one of them. */
  readonly include: readonly string[];
  /** CSS selectors. What matches one of them is no part of a page's text. */
  readonly exclude: readonly string[];
  readonly links: {
    /** Links with these relations are followed nonetheless. */
    readonly follow: readonly BarringRelation[];
  };
}

/** A date is `YYYY-MM-DD`, or with a time of day in UTC if the page tells the zone too. Null: the page has no such value. */
export type FieldValue = string | number | boolean | null;
/** By the names in the rules, each of which is there: a list if the rule says `many`. */
export type PageFields = Readonly<Record<string, FieldValue | readonly FieldValue[]>>;

/** A value of a page that is not of the type of its field; `text` is what the page has, shortened. */
export interface UnreadValue {
  readonly field: string;
  readonly type: FieldType;
  readonly text: string;
}

/** Can the rules be told on the tokenizer alone, as links are? Otherwise a tree is built for each page. */
export const needTree = (rules: PageRules | null): rules is PageRules =>
  rules !== null && (Object.keys(rules.fields).length > 0 || rules.include.length + rules.exclude.length > 0);
