/**
 * A seeded set of texts whose near-duplicates are known: ladders of edits, mirrors, pages of a template that differ in
 * numbers, short pages heavy with boilerplate, and articles that quote one another.
 */
export interface SetText {
  readonly text: string;
  /** Texts of one family are near-duplicates, except that edits of one original are not compared with each other. */
  readonly family: string;
  /** What the text is, for the table. */
  readonly kind: string;
  readonly original: boolean;
}

type Random = () => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables =
  'ba be bi bo ca ce co da de di do fa fe fo ga ge go la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te ti to va ve vo'.split(
    ' ',
  );

/** Words by Zipf's law: the commonest make up a text as they do in languages. */
export class Words {
  readonly #random: Random;
  readonly #known: readonly string[];
  constructor(random: Random) {
    this.#random = random;
    const made = new Set<string>();
    while (made.size < 8_000) {
      const length = 1 + Math.floor(Math.min(made.size / 200, 1.5) + random() * 3);
      made.add(
        Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)] ?? '').join(''),
      );
    }
    this.#known = [...made];
  }
  one(): string {
    if (this.#random() < 0.02) return this.number();
    return this.#known[Math.floor(8_000 ** this.#random()) - 1] ?? '';
  }
  number(): string {
    const [scale, random] = [this.#random(), this.#random()];
    return scale < 0.3
      ? String(1990 + Math.floor(random * 40))
      : scale < 0.6
        ? (random * 500).toFixed(2)
        : String(Math.floor(random * 10 ** (2 + scale * 5)));
  }
  some(count: number): string[] {
    return Array.from({ length: count }, () => this.one());
  }
}

export function alikeSet(seed: number): readonly SetText[] {
  const random = seeded(seed);
  const words = new Words(random);
  const between = (least: number, most: number): number => Math.floor(least * (most / least) ** random());
  const texts: SetText[] = [];
  const add = (family: string, kind: string, text: readonly string[], original = false): void => {
    texts.push({ text: text.join(' '), family, kind, original });
  };

  /** Replaces, inserts or takes out runs of words until so many of them are touched. */
  const edited = (text: readonly string[], share: number, scattered: boolean): string[] => {
    const made = [...text];
    for (let left = Math.max(1, Math.round(text.length * share)); left > 0;) {
      const run = scattered ? 1 : Math.min(left, between(1, 12));
      const at = Math.floor(random() * Math.max(1, made.length - run));
      const act = random();
      if (act < 0.5) made.splice(at, run, ...words.some(run));
      else if (act < 0.75) made.splice(at, 0, ...words.some(run));
      else made.splice(at, run);
      left -= run;
    }
    return made;
  };

  for (let at = 0; at < 300; at++) {
    const text = words.some(between(60, 2_000));
    add(`article ${String(at)}`, 'original', text, true);
    for (const share of [0.01, 0.03, 0.1])
      add(`article ${String(at)}`, `edited by ${String(share * 100)} %`, edited(text, share, at % 2 === 0));
  }
  for (let at = 0; at < 150; at++) {
    const text = words.some(between(80, 1_500));
    add(`mirror ${String(at)}`, 'original', text, true);
    const around = Math.ceil(text.length * 0.03);
    const stamp = random() < 0.5 ? [words.number()] : [];
    add(`mirror ${String(at)}`, 'mirror', [...words.some(around), ...text, ...stamp, ...words.some(3)]);
  }
  for (let template = 0; template < 40; template++) {
    // In a longer text, two numbers are fewer than a copy may differ in (bench/content/copies.ts has what tells there).
    const text = words.some(between(30, 150));
    const fields = Array.from({ length: between(2, 10) }, () => Math.floor(random() * text.length));
    const named = template % 2 === 0;
    for (let product = 0; product < 12; product++) {
      const page = [...text];
      for (const field of fields) page[field] = words.number();
      if (named) page.unshift(...words.some(1 + (template % 4)));
      add(`product ${String(template)} ${String(product)}`, 'template', page, true);
    }
  }
  for (let site = 0; site < 40; site++) {
    const ownWords = between(20, 80);
    // Half to four fifths of a page.
    const boilerplate = words.some(ownWords * between(1, 4));
    for (let page = 0; page < 12; page++) {
      const half = boilerplate.length >> 1;
      const own = words.some(Math.ceil(ownWords * (0.7 + random() * 0.6)));
      const text = [...boilerplate.slice(0, half), ...own, ...boilerplate.slice(half)];
      add(`short ${String(site)} ${String(page)}`, 'boilerplate', text, true);
    }
  }
  for (let at = 0; at < 100; at++) {
    const quoted = words.some(between(30, 300));
    for (let page = 0; page < 2; page++)
      add(
        `quoting ${String(at)} ${String(page)}`,
        'quoting',
        [...words.some(between(quoted.length, quoted.length * 3)), ...quoted],
        true,
      );
  }
  return texts;
}
