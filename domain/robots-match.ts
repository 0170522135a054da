/**
 * Matches a path against the rules of one agent (RFC 9309 §2.2.2, §2.2.3): the rule with the most octets wins,
 * Allow wins a tie, the first line wins among equals; no match allows.
 *
 * A rule is a literal head, then literals to be found one after the other (`*` between them), perhaps bound to the
 * end (`$`). Taking the leftmost place for each literal is always right, so nothing is tried twice. Heads are kept
 * sorted, each linked to the longest other head it starts with: one binary search and a walk along those links
 * gives every head the path starts with, so that plain rules cost nothing however many there are.
 */

import { comparable, octetText, readableText } from './robots-octets.ts';

export interface RobotsRule {
  readonly allow: boolean;
  /** Octet text as written, trimmed; empty matches nothing. */
  readonly pattern: string;
  /** Octet text of the whole directive as written. */
  readonly written: string;
  /** From 1. */
  readonly line: number;
}

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The directive that decided, as written, such as `Disallow: /private`; null: no rule matched. */
  readonly rule: string | null;
  /** Its line, from 1; null: no rule matched. */
  readonly line: number | null;
}

/** Takes path and query, starting with `/`. */
export type RuleMatcher = (pathAndQuery: string) => RobotsVerdict;

interface CompiledRule {
  readonly rule: RobotsRule;
  readonly head: string;
  /** Literals after the head, in order; empty: the head is all. */
  readonly rest: readonly string[];
  /** The last literal (or the head) must end the path. */
  readonly toEnd: boolean;
  /** Octets of the pattern: the longer, the more specific. */
  readonly octets: number;
}

interface HeadNode {
  readonly head: string;
  /** Index of the longest other head that this one starts with; -1: none. */
  readonly parent: number;
  /** Ranks (places in `ranked`), best first. */
  readonly ranks: readonly number[];
}

const allowedByDefault: RobotsVerdict = { allowed: true, rule: null, line: null };

export function compileRules(rules: readonly RobotsRule[]): RuleMatcher {
  const ranked = rules.flatMap(compileRule).sort(byPrecedence);
  const nodes = linkHeads(ranked);
  return (pathAndQuery) => {
    if (pathAndQuery === '/robots.txt') return allowedByDefault;
    const path = comparable(octetText(pathAndQuery));
    let best = ranked.length;
    const at = lastNotAfter(nodes, path);
    for (let node = nodes[at]; node !== undefined; node = nodes[node.parent]) {
      if (path.startsWith(node.head)) best = bestRank(node, ranked, path, best);
    }
    const winner = ranked[best]?.rule;
    if (winner === undefined) return allowedByDefault;
    return { allowed: winner.allow, rule: readableText(winner.written), line: winner.line };
  };
}

function compileRule(rule: RobotsRule): readonly CompiledRule[] {
  if (rule.pattern === '') return [];
  const compiled = [compilePattern(rule, rule.pattern)];
  // Google: allowing /folder/index.html allows /folder/ too.
  const slash = rule.pattern.lastIndexOf('/');
  if (rule.allow && rule.pattern.startsWith('/index.htm', slash)) {
    compiled.push(compilePattern(rule, rule.pattern.slice(0, slash + 1) + '$'));
  }
  return compiled;
}

function compilePattern(rule: RobotsRule, pattern: string): CompiledRule {
  const toEnd = pattern.endsWith('$');
  const parts = (toEnd ? pattern.slice(0, -1) : pattern).split('*').map(comparable);
  const octets = parts.reduce((sum, part) => sum + part.length, parts.length - 1 + (toEnd ? 1 : 0));
  // Runs of `*` are one; an empty last literal stands for "`*` at the end" and decides nothing but `toEnd`.
  const rest = parts
    .slice(1)
    .filter((part, place, all) => part !== '' || (toEnd && place === all.length - 1));
  return { rule, head: parts[0] ?? '', rest, toEnd, octets };
}

function byPrecedence(a: CompiledRule, b: CompiledRule): number {
  return b.octets - a.octets || Number(b.rule.allow) - Number(a.rule.allow) || a.rule.line - b.rule.line;
}

function linkHeads(ranked: readonly CompiledRule[]): readonly HeadNode[] {
  const ranksByHead = new Map<string, number[]>();
  ranked.forEach(({ head }, rank) => {
    const ranks = ranksByHead.get(head);
    if (ranks === undefined) ranksByHead.set(head, [rank]);
    else ranks.push(rank);
  });
  const nodes: HeadNode[] = [];
  for (const head of [...ranksByHead.keys()].sort()) {
    // In sorted order, whatever this head starts with is among the ancestors of the one before it, or is that one.
    let parent = nodes.length - 1;
    while (parent >= 0 && !head.startsWith(nodes[parent]?.head ?? '')) parent = nodes[parent]?.parent ?? -1;
    nodes.push({ head, parent, ranks: ranksByHead.get(head) ?? [] });
  }
  return nodes;
}

/** Index of the last head that sorts at or before the path; -1: none. Heads of the path are it or its ancestors. */
function lastNotAfter(nodes: readonly HeadNode[], path: string): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle]?.head ?? '') <= path) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The best rank below `best` of a rule at this head that matches; `best` itself where there is none. */
function bestRank(node: HeadNode, ranked: readonly CompiledRule[], path: string, best: number): number {
  for (const rank of node.ranks) {
    if (rank >= best) return best;
    const rule = ranked[rank];
    if (rule !== undefined && restMatches(rule, path)) return rank;
  }
  return best;
}

/** The head is known to match. */
function restMatches(rule: CompiledRule, path: string): boolean {
  let from = rule.head.length;
  if (rule.rest.length === 0) return !rule.toEnd || from === path.length;
  const found = rule.toEnd ? rule.rest.length - 1 : rule.rest.length;
  for (let place = 0; place < found; place++) {
    const literal = rule.rest[place] ?? '';
    const at = path.indexOf(literal, from);
    if (at < 0) return false;
    from = at + literal.length;
  }
  if (!rule.toEnd) return true;
  const last = rule.rest[found] ?? '';
  return path.length - last.length >= from && path.endsWith(last);
}
