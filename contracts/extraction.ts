/** What is in a page: the contract between content/, which reads bodies, and its callers. */
import type { Cut } from '../domain/limits.ts';
import type { LinkContext } from '../domain/relevance/focus.ts';
import type { ShellReason } from '../domain/rendering/shell.ts';
import type { PageMeta } from './http/page-meta.ts';
import type { ListedExtraction } from './page-fields.ts';
import type { BarringRelation, PageFields, UnreadValue } from './page-rules.ts';

export interface ExtractInput {
  readonly body: Uint8Array;
  /** URL of the page as fetched: the base of its links until a <base> says otherwise. */
  readonly url: string;
  /** Content-Type field value, or null. */
  readonly contentType: string | null;
  /** X-Robots-Tag, and the fields of TDMRep by their names (domain/rights-fields.ts); null: none of them. */
  readonly xRobotsTag: string | null;
  /** The fields Link and Refresh as they are stored (content/link-field.ts); null or absent: neither. */
  readonly linkFields?: string | null;
  /** Product tokens of ours, lower-case. Directives for other agents, such as `googlebot: nofollow`, are ignored. */
  readonly agentTokens: readonly string[];
  /** Links kept at most, in document order, after removing repeats. */
  readonly maxLinks: number;
  /** What links say is wanted as well. */
  readonly withContexts?: boolean;
  /** Blocks that many pages of the host have are left out of `main`. Absent: none is. */
  readonly repeated?: Repeated;
  /** The blocks that count for what is repeated are wanted as well. */
  readonly withBlocks?: boolean;
  /** What the body says, where it is a document and no page (content/documents.ts). */
  readonly document?: ReadDocument | null;
  /** What the rules of the crawl found in the body (content/rules.ts); null or absent: it has none. */
  readonly ruled?: RuledPage | null;
  /** Links with these relations are followed, whatever the page asks; absent: none. */
  readonly followed?: readonly BarringRelation[] | undefined;
  /** Milliseconds since 1970: dates of the page that lie after it are none. Absent: any date counts. */
  readonly now?: number;
}

/** A page as the rules of its crawl see it. */
export interface RuledPage {
  /** Null: the rules could not be applied, as `cut` says. */
  readonly fields: PageFields | null;
  /** The first values that are not of the type of their field, for whoever tries rules; `cut` counts all of them. */
  readonly unread: readonly UnreadValue[];
  /** What `include` and `exclude` keep; null: the whole page. */
  readonly parts: KeptParts | null;
  readonly cut: Cut;
}

export interface KeptParts {
  readonly markup: string;
  readonly xhtml: boolean;
  /** They were chosen by `include`, so all of their text is main text. */
  readonly chosen: boolean;
}

/** Marks of blocks that many pages of a host have (domain/boilerplate/). */
export type Repeated = ReadonlySet<number>;

/** A block of text that counts for what is repeated over its host. */
export interface PageBlock {
  /** Hash of its words. */
  readonly mark: number;
  /** Its beginning. */
  readonly text: string;
}

/** A document that is no markup, such as a PDF. */
export interface ReadDocument {
  readonly title: string | null;
  /** Blocks parted by line breaks; empty: the document has no text, or `cut` says why it could not be read. */
  readonly text: string;
  /** As the document has them. */
  readonly links: readonly string[];
  readonly cut: Cut;
}

/** Besides the fields that are listed of every page: `linkCount` are the links seen before the cap and before nofollow was applied. */
export interface Extracted extends ListedExtraction {
  /** Normalised visible text: NFC, white space folded, boilerplate tags (script, style, nav …) left out. */
  readonly text: string;
  /** Text and words of the whole page, whichever parts the rules keep: what pages are compared by. */
  readonly whole: { readonly text: string; readonly words: number };
  /** Values that the rules took from the page; null: there are none, or they could not be applied. */
  readonly fields: PageFields | null;
  /** The main text: lines of `text` without what surrounds it on the page. */
  readonly main: string;
  /** Blocks of the page by their marks; null: nobody asked. */
  readonly blocks: readonly PageBlock[] | null;
  /** Stored with the page. */
  readonly meta: PageMeta;
  /** Absolute http(s) URLs to follow, fragment dropped, in document order, without repeats or nofollow ones. */
  readonly links: readonly string[];
  /** Addresses of pictures, films and the like, as the page has them: at most a hundred. */
  readonly pictures: readonly string[];
  /** What the links say, by URL, for those with words; null: nobody asked. */
  readonly contexts: ReadonlyMap<string, LinkContext> | null;
  /** Why a browser would find more in the body; null: nothing says that it would. */
  readonly shell: ShellReason | null;
  /** For the page as a whole (meta robots, X-Robots-Tag). */
  readonly nofollow: boolean;
  /** Charset the body was read as (WHATWG name). */
  readonly charset: string;
  /** What limits left out, and how much; empty if nothing. */
  readonly cut: Cut;
}
