/** How well pages that are not there are told from pages that are, on sites of many hands: the figures of docs/content.md. */
import { readWithoutLanguage } from '../../content/extract.ts';
import { isAbove, isMissing, judgeProbe, madeUpSibling, type TextSign } from '../../domain/soft-404/judge.ts';
import { printAnswer, type AnswerPrint } from '../../domain/soft-404/print.ts';
import type { PageNeed } from '../../domain/page-need.ts';
import { knownKinds, missingSet } from './missing-set.ts';

interface Read {
  readonly title: string | null;
  readonly text: string;
  readonly needs: PageNeed | null;
}

function read(html: string, path: string): Read {
  const { title, whole, meta } = readWithoutLanguage({
    body: Buffer.from(html),
    url: `https://a.example${path}`,
    contentType: 'text/html; charset=utf-8',
    xRobotsTag: null,
    agentTokens: ['orbweaver'],
    maxLinks: 100,
  });
  return { title, text: whole.text, needs: meta.needs ?? null };
}
const printOf = (html: string, path: string): AnswerPrint => {
  const { title, text } = read(html, path);
  return printAnswer(title, text, path);
};

interface Told {
  readonly precision: number;
  readonly recall: number;
  /** Share of missing pages that are held, by how the site answers. */
  readonly held: ReadonlyMap<string, number>;
  /** Pages that are there and are held, by what they are. */
  readonly wrong: ReadonlyMap<string, number>;
}

/** @param probes made-up paths that each site is asked for, two at most */
export function measureMissing(seed: number, probes = 2): Told {
  const [held, wanted, wrong] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const add = (to: Map<string, number>, name: string): void => {
    to.set(name, (to.get(name) ?? 0) + 1);
  };
  for (const { kind, soft, known, unknown } of missingSet(seed)) {
    const beside = '/stories/a-first-page';
    let sign: TextSign | null = null;
    const sibling = printOf(known(beside, 'article'), beside);
    for (const token of ['qzvxwkjhtrplmnab', 'wkdjfhgqpzmxnvcb'].slice(0, probes)) {
      const path = madeUpSibling(beside, token);
      const verdict = judgeProbe(
        { status: 200, redirectTo: null, path, ...read(unknown(path), path) },
        { sibling, first: sign?.made },
      );
      if (verdict.kind !== 'soft' || verdict.sign.kind !== 'text') break;
      ({ sign } = verdict);
    }
    const holds = (path: string, html: string): boolean =>
      sign !== null && !isAbove(path, sign) && isMissing(sign, printOf(html, path));
    for (const which of knownKinds)
      for (let at = 0; at < 4; at++) {
        const path = `/stories/some-${'abcd'[at] ?? ''}-page`;
        if (holds(path, known(path, which))) add(wrong, which);
      }
    for (let at = 0; at < 8; at++) {
      const path = `/stories/winter-tale-${'abcdefgh'[at] ?? ''}`;
      if (soft) add(wanted, kind);
      if (holds(path, unknown(path))) add(soft ? held : wrong, kind);
    }
  }
  const sum = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((total, each) => total + each, 0);
  return {
    precision: sum(held) / (sum(held) + sum(wrong)),
    recall: sum(held) / sum(wanted),
    held: new Map([...wanted].map(([kind, of]) => [kind, (held.get(kind) ?? 0) / of])),
    wrong,
  };
}

export function reportMissing(seed: number): void {
  for (const probes of [1, 2]) {
    const { precision, recall, held, wrong } = measureMissing(seed, probes);
    console.log(
      `Soft 404 after ${String(probes)} made-up paths: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}; held ${[...held].map(([kind, share]) => `${kind} ${share.toFixed(2)}`).join(', ')}; wrong: ${[...wrong].map(([kind, count]) => `${kind} ${String(count)}`).join(', ') || 'none'}`,
    );
  }
}
