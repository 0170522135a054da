/**
 * Measures of a text by which builders of corpora choose: those that the filters of MassiveText (Gopher), C4 and FineWeb
 * are made of. Shares are of 0 to 1. Nothing is left out by them here.
 */
import { functionWords } from './function-words.ts';
import { countWords } from './words.ts';

export interface TextQuality {
  readonly words: number;
  readonly characters: number;
  readonly lines: number;
  /** Letters of a word on average, where words have spaces between them. */
  readonly wordLength: number;
  /** Words that are among the most frequent small words of the language; null: these are not known here. */
  readonly functionWords: number | null;
  /** Words with a letter. */
  readonly alphabeticWords: number;
  /** Characters that are neither letters, digits, white space nor common punctuation. */
  readonly symbols: number;
  readonly digits: number;
  /** Lines of fewer than 30 characters. */
  readonly shortLines: number;
  /** Lines that end as sentences do. */
  readonly endedLines: number;
  readonly bulletLines: number;
  /** Lines that stood in the text before, and the characters in them. */
  readonly repeatedLines: number;
  readonly repeatedCharacters: number;
  /** Runs of three words that stood in the text before. */
  readonly repeatedTriples: number;
}

const shortLine = 30;
/** Words whose runs are looked at; texts beyond are judged by their beginning. */
const mostTripled = 20_000;
const symbol = /[^\p{L}\p{M}\p{N}\s.,:;!?'"’‘“”„«»()\[\]\-–—/%&、。，！？；：「」『』（）।॥،؛؟·]/gu;
/** Of a word, without the signs around it. A search for the signs at its end would begin anew at each sign within. */
const spoken = /[\p{L}\p{N}'](?:.*[\p{L}\p{N}'])?/u;
const sentenceEnd = /[.!?…。！？।॥؟۔።]["'’”»)\]」』]*$/u;
const bullet = /^(?:[-*•‣·▪●○–]|\d{1,3}[.)])\s/u;

export function qualityOf(text: string, language: string | null): TextQuality {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const words = text.toLowerCase().match(/[^\s]+/g) ?? [];
  const bare = words.map((word) => spoken.exec(word)?.[0] ?? '');
  const small = language === null ? undefined : functionWords(language);
  const seen = new Set<string>();
  let [again, charactersAgain] = [0, 0];
  for (const line of lines) {
    if (!seen.has(line)) seen.add(line);
    else {
      again++;
      charactersAgain += line.length;
    }
  }
  const share = (part: number, all: number): number => (all === 0 ? 0 : Math.round((1e4 * part) / all) / 1e4);
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const of = (test: (line: string) => boolean): number => share(lines.filter(test).length, lines.length);
  return {
    words: countWords(text),
    characters: text.length,
    lines: lines.length,
    wordLength:
      Math.round((100 * bare.reduce((sum, word) => sum + word.length, 0)) / Math.max(1, bare.length)) / 100,
    functionWords:
      small === undefined ? null : share(bare.filter((word) => small.has(word)).length, bare.length),
    alphabeticWords: share(words.filter((word) => /\p{L}/u.test(word)).length, words.length),
    symbols: share(count(symbol), text.length),
    digits: share(count(/\p{N}/gu), text.length),
    shortLines: of((line) => line.length < shortLine),
    endedLines: of((line) => sentenceEnd.test(line.trimEnd())),
    bulletLines: of((line) => bullet.test(line.trimStart())),
    repeatedLines: share(again, lines.length),
    repeatedCharacters: share(charactersAgain, text.length),
    repeatedTriples: repeatedTriples(bare),
  };
}

function repeatedTriples(words: readonly string[]): number {
  const seen = new Set<string>();
  const runs = Math.max(0, Math.min(words.length, mostTripled) - 2);
  for (let at = 0; at < runs; at++)
    seen.add(`${words[at] ?? ''} ${words[at + 1] ?? ''} ${words[at + 2] ?? ''}`);
  return runs === 0 ? 0 : Math.round(1e4 * (1 - seen.size / runs)) / 1e4;
}
