/**
 * Rules whose literals must be found somewhere in the path (`/*.php`, `/a*b*c$`), all searched in one walk over it. A
 * robots.txt of the usual few is cheaper to try rule by rule; one with tens of thousands, each nearly matching, would
 * hold the process up for most of a second for each URL.
 *
 * The walk goes over the starts of literals in the path from left to right. A rule waits at its next literal from the
 * place where the one before it ended, and goes on at the first start at or after that place: the leftmost, which is
 * always right. Rules enter at their first literal, each once a path, however often that occurs. So the work is bounded
 * by the rules, their octets, and the literals that start at each octet of the path, of which there are few: words that
 * start at one place start with each other, and a file has room for a thousand of those.
 */
import { Prefixes } from './prefixes.ts';

export interface SearchedRule {
  /** The smaller, the better. */
  readonly rank: number;
  readonly head: string;
  /** To be found after the head one after the other; at least one, none of them empty. */
  readonly literals: readonly string[];
  /** The path must end with this, after them; null: it need not end. */
  readonly ending: string | null;
}

const none = -1;

export class RuleSearch {
  readonly #rules: readonly SearchedRule[];
  readonly #words: Prefixes;
  /** Of each rule: its literals, as indexes of words. */
  readonly #literals: readonly Int32Array[];
  /** Of each word: the rules that it is the first literal of, those with the shortest head first. */
  readonly #entering: readonly Int32Array[];

  constructor(rules: readonly SearchedRule[]) {
    this.#rules = rules;
    this.#words = new Prefixes(rules.flatMap(({ literals }) => literals));
    const { words } = this.#words;
    const indexes = new Map(words.map((word, index) => [word, index]));
    this.#literals = rules.map(({ literals }) =>
      Int32Array.from(literals, (word) => indexes.get(word) ?? none),
    );
    const headLength = (rule: number): number => rules[rule]?.head.length ?? 0;
    const entering = Map.groupBy(rules.keys(), (rule) => rules[rule]?.literals[0]);
    this.#entering = words.map((word) =>
      Int32Array.from((entering.get(word) ?? []).sort((a, b) => headLength(a) - headLength(b))),
    );
  }

  /**
   * The best rank below `best` of a rule that matches; `best` itself where there is none.
   * @param heads those the path starts with
   */
  best(path: string, heads: ReadonlySet<string>, best: number): number {
    const walk = new Walk(this.#rules, this.#literals, path, best);
    const entered = new Int32Array(this.#entering.length);
    for (let start = 0; start < path.length; start++) {
      walk.arrive(start);
      let word = this.#words.longest(path.slice(start));
      for (; word >= 0; word = this.#words.parent(word)) {
        const end = start + this.#words.length(word);
        const rules = this.#entering[word];
        let next = entered[word] ?? 0;
        for (; rules !== undefined && next < rules.length; next++) {
          const rule = rules[next] ?? none;
          const head = this.#rules[rule]?.head ?? '';
          if (head.length > start) break;
          if (heads.has(head)) walk.advance(rule, end);
        }
        entered[word] = next;
        walk.found(word, end);
      }
    }
    return walk.best;
  }
}

/**
 * Where the rules stand on one walk over one path. A rule under way is in one list: of those that wait from a place on,
 * then of those that wait for a word; lists are linked through `#next`, so that tens of thousands cost no object each.
 */
class Walk {
  best: number;
  readonly #rules: readonly SearchedRule[];
  readonly #literals: readonly Int32Array[];
  readonly #path: string;
  /** Of each rule: how many of its literals have their places. */
  readonly #stage: Int32Array;
  readonly #next: Int32Array;
  /** First rule that waits from a place on, and that waits for a word. */
  readonly #from: Int32Array;
  readonly #for = new Map<number, number>();

  constructor(rules: readonly SearchedRule[], literals: readonly Int32Array[], path: string, best: number) {
    this.best = best;
    this.#rules = rules;
    this.#literals = literals;
    this.#path = path;
    this.#stage = new Int32Array(rules.length);
    this.#next = new Int32Array(rules.length);
    this.#from = new Int32Array(path.length + 1).fill(none);
  }

  /** Rules that wait from this place on begin to wait for their words. */
  arrive(place: number): void {
    let rule = this.#from[place] ?? none;
    while (rule !== none) {
      const after = this.#next[rule] ?? none;
      const word = this.#literals[rule]?.[this.#stage[rule] ?? 0] ?? none;
      this.#next[rule] = this.#for.get(word) ?? none;
      this.#for.set(word, rule);
      rule = after;
    }
  }

  /** The word stands in the path up to `end`: those that wait for it go on. */
  found(word: number, end: number): void {
    let rule = this.#for.get(word) ?? none;
    if (rule === none) return;
    this.#for.delete(word);
    while (rule !== none) {
      const after = this.#next[rule] ?? none;
      this.advance(rule, end);
      rule = after;
    }
  }

  /** One more literal of the rule has its place, up to `end`. */
  advance(index: number, end: number): void {
    const rule = this.#rules[index];
    if (rule === undefined || rule.rank >= this.best) return;
    const stage = (this.#stage[index] ?? 0) + 1;
    if (stage < rule.literals.length) {
      this.#stage[index] = stage;
      this.#next[index] = this.#from[end] ?? none;
      this.#from[end] = index;
    } else if (this.#endsWell(rule.ending, end)) {
      this.best = rule.rank;
    }
  }

  #endsWell(ending: string | null, from: number): boolean {
    return ending === null || (this.#path.length - ending.length >= from && this.#path.endsWith(ending));
  }
}
