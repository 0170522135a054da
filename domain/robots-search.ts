/**
 * Searches one path for all rules with literals to find (`/*.php`, `/a*b*c$`) in one walk. The usual robots.txt has few
 * such rules and is cheaper to try rule by rule. A file with tens of thousands, each nearly matching, would block the
 * process for most of a second for each URL.
 *
 * The walk goes through the path from left to right. At each place it looks up the words (distinct literals of all
 * rules) that start there. A rule waits for its next literal from the place where its last literal ended, and advances
 * at the first occurrence at or after that place: the leftmost, which is always right. A rule enters the walk at its
 * first literal, once for each path, however often that literal occurs. So the work is bounded by the number of rules,
 * their octets, and the words that start at each octet of the path. These words are few: each starts with the next
 * shorter one, and a file has room for only a thousand of those.
 */
import { Prefixes } from './prefixes.ts';

export interface SearchedRule {
  /** Smaller is better. */
  readonly rank: number;
  readonly head: string;
  /** Literals to find after the head, one after the other; at least one, none empty. */
  readonly literals: readonly string[];
  /** The path must end with this text, after the literals; null: any end will do. */
  readonly ending: string | null;
}

const none = -1;

export class RuleSearch {
  readonly #rules: readonly SearchedRule[];
  readonly #words: Prefixes;
  /** By rule: its literals, as indexes of words. */
  readonly #literals: readonly Int32Array[];
  /** By word: the rules that have it as their first literal, shortest head first. */
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
   * The best rank below `best` among matching rules; `best` itself if none matches.
   * @param heads all heads that the path starts with
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
 * Where the rules stand in one walk through one path. A rule that has entered is in one linked list: first in the list
 * of rules that will wait from a certain place on, then in the list of rules that wait for a word. The lists are linked
 * through `#next`, so that tens of thousands of rules need no object each.
 */
class Walk {
  best: number;
  readonly #rules: readonly SearchedRule[];
  readonly #literals: readonly Int32Array[];
  readonly #path: string;
  /** By rule: how many of its literals have been found. */
  readonly #stage: Int32Array;
  readonly #next: Int32Array;
  /** Heads of the lists: by place, rules that will wait from there on (`#from`); by word, rules that wait (`#for`). */
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

  /** The walk is at this place: rules of its list begin to wait for their next words. */
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

  /** The word was found in the path and ends at `end`: rules that wait for it advance. */
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

  /** One more literal of the rule was found and ends at `end`. */
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
