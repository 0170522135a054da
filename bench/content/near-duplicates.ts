/** How well near-duplicates are found on a seeded set, and what a fingerprint costs: the figures of docs/content.md. */
import { fingerprint, fingerprintShape, type FingerprintShape } from '../../domain/alike/fingerprint.ts';
import {
  areAlike,
  likenessOf,
  likenessRule,
  type Likeness,
  type LikenessRule,
} from '../../domain/alike/likeness.ts';
import { readWithoutLanguage } from '../../content/extract.ts';
import { alikeSet, type SetText } from './alike-set.ts';
import { copiesSet } from './copies.ts';

interface Candidate {
  readonly kind: string;
  readonly alike: boolean;
  readonly likeness: Likeness;
}

/** What the bands bring up for comparison. */
interface Found {
  readonly candidates: readonly Candidate[];
  /** Pairs that are near-duplicates, by kind. */
  readonly wanted: ReadonlyMap<string, number>;
}

export interface Quality {
  readonly precision: number;
  readonly recall: number;
  /** Share found, by kind of near-duplicate. */
  readonly found: ReadonlyMap<string, number>;
  /** Pairs that were taken for near-duplicates and are none, by kind. */
  readonly wrong: ReadonlyMap<string, number>;
  readonly candidates: number;
}

const countBy = <T>(items: Iterable<T>, name: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(name(item), (counts.get(name(item)) ?? 0) + 1);
  return counts;
};

function candidatesOf(set: readonly SetText[], shape: FingerprintShape): Found {
  const buckets = new Map<bigint, number[]>();
  const candidates: Candidate[] = [];
  const prints = set.map(({ text }) => fingerprint(text, shape));
  for (const [at, { family, kind, original }] of set.entries()) {
    const print = prints[at];
    if (!print) continue;
    const met = new Set<number>();
    for (const band of print.bands) {
      const bucket = buckets.get(band) ?? [];
      for (const earlier of bucket) met.add(earlier);
      bucket.push(at);
      buckets.set(band, bucket);
    }
    for (const earlier of met) {
      const [text, other] = [set[earlier], prints[earlier]];
      if (!text || !other) continue;
      const alike = text.family === family;
      // Two edits of one text are further from each other than from it: nothing is asked about them.
      if (alike && !text.original && !original) continue;
      candidates.push({ kind, alike, likeness: likenessOf(print, other) });
    }
  }
  return {
    candidates,
    wanted: countBy(
      set.filter(({ original }) => !original),
      ({ kind }) => kind,
    ),
  };
}

function judged({ candidates, wanted }: Found, rule: LikenessRule): Quality {
  const taken = candidates.filter(({ likeness }) => areAlike(likeness, rule));
  const right = countBy(
    taken.filter(({ alike }) => alike),
    ({ kind }) => kind,
  );
  const sum = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((total, each) => total + each, 0);
  return {
    precision: sum(right) / taken.length,
    recall: sum(right) / sum(wanted),
    found: new Map([...wanted].map(([kind, of]) => [kind, (right.get(kind) ?? 0) / of])),
    wrong: countBy(
      taken.filter(({ alike }) => !alike),
      ({ kind }) => kind,
    ),
    candidates: candidates.length,
  };
}

export function measureQuality(seed: number, shape = fingerprintShape, rule = likenessRule): Quality {
  return judged(candidatesOf(alikeSet(seed), shape), rule);
}

const mainOf = (html: string): string =>
  readWithoutLanguage({
    body: Buffer.from(html),
    url: 'https://a.example/',
    contentType: 'text/html; charset=utf-8',
    xRobotsTag: null,
    agentTokens: ['orbweaver'],
    maxLinks: 0,
  }).main;

/** On pages of many hands, by their main texts as a crawl reads them. */
export function measureCopies(seed: number, shape = fingerprintShape, rule = likenessRule): Quality {
  const set = copiesSet(seed).map(({ html, ...known }) => ({ ...known, text: mainOf(html) }));
  return judged(candidatesOf(set, shape), rule);
}

/** Milliseconds of a fingerprint of a text of so many characters. */
function measureCost(characters: number): number {
  const text = alikeSet(7)
    .map((each) => each.text)
    .join('\n')
    .slice(0, characters);
  const repeat = (times: number): number => {
    const from = performance.now();
    for (let time = 0; time < times; time++) fingerprint(text);
    return (performance.now() - from) / times;
  };
  repeat(500);
  return Math.min(...Array.from({ length: 5 }, () => repeat(300)));
}

const three = (value: number): string => value.toFixed(3);
const listed = (counts: ReadonlyMap<string, number>, shown: (value: number) => string): string =>
  [...counts].map(([kind, value]) => `${kind} ${shown(value)}`).join(', ') || 'none';

export function reportNearDuplicates(seed: number): void {
  const set = alikeSet(seed);
  console.log(`Near-duplicates: ${String(set.length)} texts, seed ${String(seed)}\n`);
  console.log(
    '| words | bands | shingles | distance | numbers behind | other numbers | candidates | precision | recall |',
  );
  console.log(
    '| ----- | ----- | -------- | -------- | -------------- | ------------- | ---------- | --------- | ------ |',
  );
  const rows: [FingerprintShape, LikenessRule][] = [];
  for (const shingleWords of [1, 2, 3]) {
    for (const [bands, bandParts] of [
      [16, 8],
      [21, 6],
      [32, 4],
    ] as const) {
      rows.push([{ shingleWords, bands, bandParts }, likenessRule]);
    }
  }
  for (const shingles of [0.6, 0.75, 0.85]) rows.push([fingerprintShape, { ...likenessRule, shingles }]);
  for (const distance of [3, 8, 12, 64]) rows.push([fingerprintShape, { ...likenessRule, distance }]);
  for (const numbers of [1, 0.25, 0.1])
    rows.push([fingerprintShape, { ...likenessRule, numbersBehind: numbers }]);
  for (const otherNumbers of [0, 0.005, 0.02])
    rows.push([fingerprintShape, { ...likenessRule, otherNumbers }]);
  rows.push([fingerprintShape, { ...likenessRule, shingles: 0 }]);
  const found = new Map<string, Found>();
  for (const [shape, rule] of rows) {
    const { shingleWords, bands, bandParts } = shape;
    const name = `${String(shingleWords)} | ${String(bands)} × ${String(bandParts)}`;
    const candidates = found.get(name) ?? candidatesOf(set, shape);
    found.set(name, candidates);
    const quality = judged(candidates, rule);
    console.log(
      `| ${name} | ${String(rule.shingles)} | ${String(rule.distance)} | ${String(rule.numbersBehind)} | ${String(rule.otherNumbers)} | ${String(quality.candidates)} | ${three(quality.precision)} | ${three(quality.recall)} |`,
    );
  }
  const chosen = measureQuality(seed);
  console.log(`\nAs set: found ${listed(chosen.found, three)}; wrong pairs: ${listed(chosen.wrong, String)}`);
  for (const each of [seed, seed + 1, seed + 2]) {
    const { precision, recall, found: share, wrong } = measureCopies(each);
    console.log(
      `Pages of many hands, seed ${String(each)}: precision ${three(precision)}, recall ${three(recall)}; found ${listed(share, three)}; wrong pairs: ${listed(wrong, String)}`,
    );
  }
  for (const characters of [3_000, 24_000, 100_000])
    console.log(
      `A fingerprint of ${String(characters)} characters: ${measureCost(characters).toFixed(3)} ms`,
    );
}
