/** Writes the texts of built pages in one language, and notes which of them belong to the main text. */

export type Template = (w: Writer) => string;

export class Writer {
  /** What was said so far. */
  readonly known: string[] = [];
  readonly #words: readonly string[];
  #seed: number;
  #title: string | null = null;

  /** @param words of running text; sentences are made of runs of them, so that they have its short words. */
  constructor(words: readonly string[], seed: number) {
    this.#words = words.map((word) => word.replace(/[.,;:()"«»„“”]/g, '')).filter((word) => word !== '');
    this.#seed = seed * 7_919 + 17;
  }

  /** A whole number below `most`, the same for the same seed (Numerical Recipes' generator). */
  below(most: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * most);
  }

  between = (least: number, most: number): number => least + this.below(most - least + 1);

  words(count: number): string {
    const at = this.below(Math.max(1, this.#words.length - count));
    const text = this.#words.slice(at, at + count).join(' ');
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  name = (): string => `${this.words(1)} ${this.words(1)}`;

  sentence(): string {
    const [first, second] = [this.words(this.between(5, 11)), this.words(this.between(3, 9))];
    return this.below(3) === 0 ? `${first}.` : `${first}, ${second.toLowerCase()}.`;
  }

  /** Text that is no part of the main text. */
  prose = (sentences = this.between(2, 4)): string =>
    Array.from({ length: sentences }, () => this.sentence()).join(' ');

  /** Text that is: noted, and answered as it stands. */
  say(text: string): string {
    this.known.push(text);
    return text;
  }

  /** A paragraph of the main text, without markup. */
  line = (sentences = this.between(2, 5)): string => this.say(this.prose(sentences));

  /** Paragraphs of the main text. */
  p = (count: number, sentences?: number): string =>
    this.each(count, () => `<p>${this.line(sentences ?? this.between(2, 5))}</p>`);

  each = (count: number, make: (at: number) => string, between = '\n'): string =>
    Array.from({ length: count }, (_, at) => make(at)).join(between);

  link = (words = this.between(1, 3)): string =>
    `<a href="/x${String(this.below(9_999))}">${this.words(words)}</a>`;

  menu = (entries = 12): string => `<ul>${this.each(entries, () => `<li>${this.link()}</li>`, '')}</ul>`;

  /** The page's title, which its heading has too. */
  get title(): string {
    return (this.#title ??= this.words(7));
  }

  /** A page of such a body. */
  page = (body: string, head = '', bodyTag = '<body>'): string =>
    `<!doctype html><html><head><meta charset=utf-8><title>${this.title} | ${this.words(2)}</title>${head}</head>${bodyTag}${body}</body></html>`;
}
