/**
 * Word breaks for a search that finds words by spaces: Chinese, Japanese, Thai and their kin write none. The breaks are
 * those of ICU's dictionaries. They are control characters, which no text has, which part words in every locale, and
 * which are taken out again where text is shown.
 */

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const wordBreak = '\u001f';

/**
 * Postgres' parser takes `<!--` for a comment and `<string>` for a tag, which is no word, and looks for their ends as far as
 * the text goes; a long run of characters it may read anew from each of them. Either takes minutes if a text is made of
 * nothing else. No word is as long as such a run.
 */
const tagStart = /<(?=\S)/g;
const longRun = /\S{256}(?=\S)/gu;

/** With breaks around the words of scripts that have no spaces, and where the parser would not come to an end. */
export function withBreaks(text: string): string {
  return withoutBreaks(text)
    .replace(unspaced, (run) => {
      const words = Array.from(segmenter.segment(run), ({ segment }) => segment);
      return wordBreak + words.join(wordBreak) + wordBreak;
    })
    .replace(tagStart, `$&${wordBreak}`)
    .replace(longRun, `$&${wordBreak}`);
}

/** The text without any breaks. */
export const withoutBreaks = (text: string): string => text.replaceAll(wordBreak, '');

/** As `withBreaks`, without those at the ends. */
export const inBreaks = (text: string): string => {
  const broken = withBreaks(text);
  const from = broken.startsWith(wordBreak) ? 1 : 0;
  return broken.slice(from, broken.endsWith(wordBreak) ? -1 : undefined);
};
