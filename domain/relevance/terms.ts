/** Words as relevance compares them: runs of letters and digits in lower case; Han and kana, which set no spaces, by pairs. */

const run = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Longer runs are no words. */
const longest = 40;

/** In the order of the text, repeats included. */
export function termsIn(text: string): string[] {
  const terms: string[] = [];
  for (const [found] of text.toLowerCase().matchAll(run)) {
    if (found.length > longest) continue;
    if (unspaced.test(found)) {
      const characters = Array.from(found);
      for (const [at, one] of characters.entries()) {
        const next = characters[at + 1];
        if (next !== undefined || characters.length === 1) terms.push(one + (next ?? ''));
      }
    } else if (found.length > 1) terms.push(singular(found));
  }
  return terms;
}

/** A plural in -s counts as its singular: of all folding this finds most, in most languages that have it. */
const singular = (word: string): string =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;

/** Words of grammar, which say nothing of what a text is about. */
const grammar = new Set(
  termsIn(`a about after all also an and any are as at be because been but by can could did do does for from had has have
he her his how i if in into is it its just like may me more most my no not of on one only or other our out over she so some
such than that the their them then there these they this to up us use used was we were what when which who will with would
you your der die das und ist nicht mit von ein eine für auf den dem des im zu sich es auch als werden wird bei nach aus
le la les un une et est que qui dans pour sur pas par au aux ce cette avec el los las del al y en es por con para una se`),
);

/** Tags and what stands between the tags of scripts and styles are left out, in one walk. */
export function plainText(html: string): string {
  const kept: string[] = [];
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      kept.push(html.slice(at));
      break;
    }
    kept.push(html.slice(at, open));
    const hidden = /^<(script|style)\b/.exec(lower.slice(open, open + 8))?.[1];
    const end = hidden === undefined ? -1 : lower.indexOf(`</${hidden}`, open);
    if (hidden !== undefined && end < 0) break;
    const close = html.indexOf('>', Math.max(end, open));
    if (close < 0) break;
    at = close + 1;
  }
  return kept.join(' ');
}

/** The words that tell most of a text: those that come most often, words of grammar left out; the more frequent first. */
export function tellingTerms(text: string, most: number): string[] {
  const counts = new Map<string, number>();
  for (const term of termsIn(text))
    if (!grammar.has(term) && !/^\d+$/.test(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts]
    .sort(([one, many], [other, fewer]) => fewer - many || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([term]) => term);
}
