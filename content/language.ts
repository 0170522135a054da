/**
 * Tells the language of a text by its script, by groups of letters and by small words, with the author's declaration as
 * a second opinion.
 */
import { LRUCache } from 'lru-cache';
import { type Votes, functionWords, votesOf } from './function-words.ts';
import { ownCopy } from './own-copy.ts';
import { isWrittenIn, languageOfScript, scriptOf } from './scripts.ts';

/** With fewer words no detector can be trusted. */
export const ENOUGH_WORDS = 20;
/** The detector reads some 350 bytes, and so many characters have small words enough. */
const SAMPLE_CHARS = 600;
/**
 * Where samples begin, the first choice first, as shares of the text: its beginning is more often menus and headings
 * than sentences, its end more often small print.
 */
const SAMPLED = [0.5, 0.25, 0.75, 0] as const;
/**
 * How far the best language must lead the second, on the detector's scale of 0 to 1; with a smaller lead the detector
 * mixes up close relatives.
 */
const CLEAR_LEAD = 0.01;
/**
 * Shares of the words of a text. By so much the small words of another language must lead those of the language that is
 * in question; relatives that cannot be told apart differ by less.
 */
const VOTES_LEAD = 0.03;
/** The same against the language that the page declares, and where the detector is not sure of any. */
const VOTES_CLEAR = 0.05;
/** Or the detector, by its scale, if it knows both languages: relatives differ by less. */
const LETTERS_AGAINST = 0.1;
/** So many small words are no accident where the detector is not sure: a text has 0.1 to 0.4 in its own language. */
const VOTES_ENOUGH = 0.1;
/** With fewer, what is taken for a language may be code or names. */
const VOTES_FEW = 0.02;
/** With so many, a part is made of sentences. */
const VOTES_SENTENCES = 0.2;
/** So many contradict even the declaration of a language of which nothing is known here. */
const VOTES_STRONG = 0.25;

/**
 * If the detector has confirmed a site's declaration on so many pages in a row, the declaration is believed on most
 * pages, since detection is a fifth of the cost of reading a page.
 */
const PROVED_RIGHT = 8;
/** Then one page in eight is checked at first, half as many each time the pages double, and at least one in so many. */
const SELDOM_CHECKED = 64;

interface LanguageInput {
  readonly text: string;
  /** All text of the page, where the text is a part of it. */
  readonly page?: string;
  readonly words: number;
  /** The language that the document declares; null: none. */
  readonly declared: string | null;
  /** The origin to which the page belongs. */
  readonly site: string;
}

/** ISO 639-1 code; null: the language cannot be told. */
export type LanguageTeller = (input: LanguageInput) => string | null;

interface Detected {
  readonly language: string;
  readonly scores: Readonly<Record<string, number>>;
}

/** A part of a text, with what is cheap to tell of it: the detector takes several times as long. */
interface Sample {
  readonly text: string;
  readonly script: string | null;
  readonly votes: Votes;
}

interface Opinion extends Sample {
  /** Null: none. */
  readonly language: string | null;
  /** What the detector says of it; null: it is not sure, or was not asked. */
  readonly detected: Detected | null;
}

const sampleOf = (text: string): Sample => ({ text, script: scriptOf(text), votes: votesOf(text) });

/** The detector: 1 MB, some 200 ms, once per process. */
async function loadJudge(): Promise<(sample: Sample) => Opinion> {
  const { eld } = await import('eld/extrasmall');
  // Addresses, domains and part numbers have letters but no language.
  eld.enableTextCleanup(true);
  const known: ReadonlySet<string> = new Set(Object.values(eld.info().Languages));

  const detect = (text: string): Detected | null => {
    const result = eld.detect(text);
    const scores = result.getScores();
    return result.isReliable() && isClear(scores) ? { language: result.language, scores } : null;
  };
  return (sample) => {
    const alone = sample.script === null ? null : languageOfScript(sample.script);
    const detected = alone === null ? detect(sample.text) : null;
    const language = alone ?? byVotes(detected?.language ?? null, sample.votes, known);
    return { ...sample, detected, language };
  };
}

/**
 * The text decides if it is long enough, clear, and speaks against the declaration, since templates often declare a
 * language that the author never chose; otherwise the declaration is taken. So a declared language that the detector
 * does not know, or mixes up with a relative, stands.
 */
export async function loadLanguageTeller(): Promise<LanguageTeller> {
  const judge = await loadJudge();
  /** Of the part that reads most like sentences: code and tables of names look like one language or another. */
  const opinionOf = (text: string, page: string): Opinion => {
    const middle = sampleAt(text, SAMPLED[0]);
    if (proseOf(middle) >= VOTES_SENTENCES || text.length <= SAMPLE_CHARS) return judge(middle);
    const best = SAMPLED.slice(1)
      .map((at) => sampleAt(text, at))
      .reduce(mostProse, middle);
    const opinion = judge(best);
    if (opinion.language !== null && proseOf(best) >= VOTES_FEW) return opinion;
    // A page of tables has its only sentences around them.
    const around = sampleOf(cleaned(page.slice(0, SAMPLE_CHARS)));
    return mostProse(best, around) === around ? judge(around) : opinion;
  };
  const trust = new LRUCache<string, number>({ max: 10_000 });
  return ({ text, page = text, words, declared, site }) => {
    const said = declaredLanguage(declared);
    if (words < ENOUGH_WORDS && !isUnspaced(text)) return said;
    const key = `${site} ${said ?? ''}`;
    const turn = trust.get(key) ?? 0;
    if (said !== null && !isChecked(turn)) {
      trust.set(key, turn + 1);
      return said;
    }
    const opinion = opinionOf(text, page);
    const told = said === null || contradicts(opinion, said) ? opinion.language : said;
    trust.set(key, opinion.language !== null && told === said ? turn + 1 : 0);
    return told;
  };
}

/** Parts of a text that are asked for their language, and characters of one. */
const SCORED_PARTS = 12;
const SCORED_CHARS = 300;

/** Share of the parts of a text that are in a language, of those that tell one; null: none does. */
export type LanguageScorer = (text: string, language: string) => number | null;

export async function loadLanguageScorer(): Promise<LanguageScorer> {
  const judge = await loadJudge();
  return (text, language) => {
    const parts = Math.min(SCORED_PARTS, Math.max(1, Math.floor(text.length / SCORED_CHARS)));
    let [own, told] = [0, 0];
    for (let part = 0; part < parts; part++) {
      const from = Math.floor((part * text.length) / parts);
      const opinion = judge(sampleOf(text.slice(from, from + SCORED_CHARS)));
      if (opinion.language === null) continue;
      told++;
      own += Number(!contradicts(opinion, language));
    }
    return told === 0 ? null : own / told;
  };
}

/** What the detector found, unless the small words are those of a language that it does not know, or it found none. */
function byVotes(detected: string | null, votes: Votes, known: ReadonlySet<string>): string | null {
  const share = sharesOf(votes);
  let best: string | null = null;
  let second = 0;
  for (const language of votes.of.keys()) {
    if (best === null || share(language) > share(best)) {
      second = best === null ? 0 : share(best);
      best = language;
    } else second = Math.max(second, share(language));
  }
  if (best === null) return detected;
  if (detected === null)
    return share(best) >= VOTES_ENOUGH && share(best) - second >= VOTES_CLEAR ? best : null;
  if (!known.has(best) && share(best) - share(detected) >= VOTES_LEAD) return best;
  const rather = commoner[detected];
  return rather !== undefined && share(rather) >= share(detected) ? rather : detected;
}

/** By languages that the detector knows: one that it does not, so like it that the more frequent of both is told. */
const commoner: Readonly<Record<string, string>> = { ms: 'id' };

/** Does a text speak against the language that is declared for it? */
function contradicts({ language, script, votes, detected }: Opinion, said: string): boolean {
  if (language === null || language === said) return false;
  if (script !== null && !isWrittenIn(said, script)) return true;
  const share = sharesOf(votes);
  if (functionWords(relative(said)) === undefined) return share(language) >= VOTES_STRONG;
  if (share(language) - share(said) >= VOTES_CLEAR) return true;
  const scores = detected?.scores ?? {};
  const [best, own] = [scores[language], scores[relative(said)]];
  return best !== undefined && own !== undefined && best - own >= LETTERS_AGAINST;
}

/** Khmer and its like set spaces between clauses, if at all, so words are no measure; their scripts tell enough. */
function isUnspaced(text: string): boolean {
  if (text.length < ENOUGH_WORDS * 5) return false;
  const script = scriptOf(text.slice(0, SAMPLE_CHARS));
  return script !== null && languageOfScript(script) !== null;
}

const sharesOf =
  ({ of, words }: Votes) =>
  (language: string): number =>
    (of.get(relative(language)) ?? 0) / words;

/** Standards of one language that no text tells apart. */
const relatives: Readonly<Record<string, string>> = { nb: 'no', bs: 'hr' };
const relative = (language: string): string => relatives[language] ?? language;

/** @param turn pages of the site whose declaration was confirmed or believed, in a row */
function isChecked(turn: number): boolean {
  if (turn < PROVED_RIGHT) return true;
  const doubled = 2 ** Math.floor(Math.log2(turn));
  return turn % Math.min(doubled, SELDOM_CHECKED) === 0;
}

/** Share of small words, of whatever language; 1 in a script that only one language has. */
const proseOf = ({ script, votes: { of, words } }: Sample): number =>
  script !== null && languageOfScript(script) !== null ? 1 : Math.max(0, ...of.values()) / Math.max(1, words);

const mostProse = (a: Sample, b: Sample): Sample => (proseOf(b) > proseOf(a) ? b : a);

function sampleAt(text: string, at: number): Sample {
  const from = Math.max(0, Math.floor((text.length - SAMPLE_CHARS) * at));
  return sampleOf(cleaned(text.slice(from, from + SAMPLE_CHARS)));
}

/** `A.`, `B.12` and `c)` before entries are no words, and look like those of languages that have words of one letter. */
const listSigns = /(?<!\S)\p{L}[.)][\d.)]*(?!\S)/gu;
const cleaned = (text: string): string => text.replace(listSigns, ' ');

function isClear(scores: Readonly<Record<string, number>>): boolean {
  const [best = 0, second = 0] = Object.values(scores).sort((a, b) => b - a);
  return best - second >= CLEAR_LEAD;
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The two-letter code of a BCP 47 tag (`en-GB`, `eng`); null: the tag is made up, or has no such code. */
function declaredLanguage(tag: string | null): string | null {
  if (tag === null) return null;
  const known = codes.get(tag);
  if (known !== undefined) return known === '' ? null : known;
  const code = codeOf(tag);
  if (tag.length <= LONGEST_TAG) codes.set(ownCopy(tag), code ?? '');
  return code;
}

/** Characters; longer tags are told anew each time. */
const LONGEST_TAG = 100;
/** Codes by tag; '' stands for none. The web uses a few hundred tags, a hostile site any number. */
const codes = new LRUCache<string, string>({ max: 1_000 });

function codeOf(tag: string): string | null {
  try {
    const { language } = new Intl.Locale(tag.trim().replaceAll('_', '-'));
    // Filipino is Tagalog's standard, and `tl` the two letters for both.
    if (language === 'fil') return 'tl';
    return /^[a-z]{2}$/.test(language) && names.of(language) !== undefined ? language : null;
  } catch {
    return null;
  }
}
