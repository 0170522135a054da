/** What is in a page: the contract between content/ (which reads bodies) and activities/. */
import type { Cut } from '../domain/limits.ts';

export interface ExtractInput {
  readonly body: Uint8Array;
  /** URL of the page as fetched: the base of its links until a <base> says otherwise. */
  readonly url: string;
  /** Content-Type field value, or null. */
  readonly contentType: string | null;
  /** X-Robots-Tag field value, or null. */
  readonly xRobotsTag: string | null;
  /** Product tokens we go by, lower-case: `googlebot: nofollow` and the like are for others. */
  readonly agentTokens: readonly string[];
  /** Links kept at most, in document order, after removing repeats. */
  readonly maxLinks: number;
}

export interface Extracted {
  readonly title: string | null;
  readonly description: string | null;
  /** ISO 639-1 code, or null where it cannot be told. */
  readonly language: string | null;
  /** Normalised visible text: NFC, white space folded, boilerplate tags (script, style, nav …) left out. */
  readonly text: string;
  readonly words: number;
  /** Absolute http(s) URLs to follow, fragment dropped, in document order, without repeats or nofollow ones. */
  readonly links: readonly string[];
  /** Links seen before the cap and before nofollow was applied. */
  readonly linksSeen: number;
  /** Absolute URL of rel=canonical, or null. */
  readonly canonical: string | null;
  readonly noindex: boolean;
  /** Of the page as a whole (meta robots, X-Robots-Tag). */
  readonly nofollow: boolean;
  /** Charset the body was read as (WHATWG name). */
  readonly charset: string;
  /** What was left out, by how much; empty when nothing was. */
  readonly cut: Cut;
}
