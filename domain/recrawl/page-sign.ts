/**
 * What of a page's text is compared from visit to visit: the SimHash of its main text. What surrounds a main text
 * (navigation, advertisements, what else is news) changes with every visit, and says nothing of the page. A page whose
 * main text is less than a third of its text may be a list that has no main text: there the whole text tells.
 */
import { simhashOf } from '../alike/fingerprint.ts';
import { distanceOf } from '../alike/likeness.ts';

const leastMain = 1 / 3;

/** Null: the text has too few words. */
export const signOfText = ({ text, main }: { readonly text: string; readonly main: string }): bigint | null =>
  simhashOf(main.length >= text.length * leastMain ? main : text);

/** Bits of 64 that may differ while a text counts as the same: a counter, a date, a word. Measured: docs/frontier.md. */
export const mostHairBits = 3;

export const differsByAHair = (one: bigint, other: bigint, most = mostHairBits): boolean =>
  distanceOf(one, other) <= most;
