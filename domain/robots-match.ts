/**
 * Matches a path against the rules of one agent (RFC 9309 §2.2.2, §2.2.3): the rule with the most octets wins,
 * Allow wins a tie, the first line wins among equals; no match allows.
 *
 * A rule is a literal head, then literals to find one after the other (`*` between them), perhaps bound to the end
 * (`$`). Taking the leftmost place for each literal is always right, so nothing is tried twice. Rules are indexed by
 * their heads (prefixes.ts), so that plain rules cost almost nothing, however many there are. If many rules have
 * literals to find, these rules are searched together (robots-search.ts).
 */

import { Prefixes } from './prefixes.ts';
import { comparable, octetText, readableText } from './robots-octets.ts';
import { RuleSearch } from './robots-search.ts';

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

/** `pathAndQuery` starts with `/`. */
export type RuleMatcher = (pathAndQuery: string) => RobotsVerdict;

interface CompiledRule {
  readonly rule: RobotsRule;
  readonly head: string;
  /** Literals to find after the head, in order; none is empty. */
  readonly literals: readonly string[];
  /** The path must end with this text, after the literals; null: any end will do. */
  readonly ending: string | null;
  /** The path must be equal to the head. */
  readonly whole: boolean;
  /** Octets of the pattern: the longer, the more specific. */
  readonly octets: number;
}

const allowedByDefault: RobotsVerdict = { allowed: true, rule: null, line: null };

/** Up to this many rules with literals to find are tried one by one; more are searched together. */
const fewSearched = 200;

/** @param few most rules with literals to find that are tried one by one */
export function compileRules(rules: readonly RobotsRule[], few = fewSearched): RuleMatcher {
  const ranked = rules.flatMap(compileRule).sort(byPrecedence);
  const searched = ranked.flatMap((rule, rank) => (rule.literals.length > 0 ? [{ ...rule, rank }] : []));
  const search = searched.length > few ? new RuleSearch(searched) : null;
  const heads = new Prefixes(ranked.map(({ head }) => head));
  const ranks = ranksByHead(
    heads,
    ranked,
    search === null ? () => true : ({ literals }) => literals.length === 0,
  );
  return (pathAndQuery) => {
    if (pathAndQuery === '/robots.txt') return allowedByDefault;
    const path = comparable(octetText(pathAndQuery));
    let best = ranked.length;
    const longest = heads.longest(path);
    for (let at = longest; at >= 0; at = heads.parent(at)) {
      best = bestRank(ranks[at] ?? [], ranked, path, best);
    }
    if (search !== null) best = search.best(path, new Set(heads.upFrom(longest)), best);
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
  const [head = '', ...rest] = parts;
  const ending = toEnd ? (rest.pop() ?? null) : null;
  // A run of `*` counts as one.
  const literals = rest.filter((part) => part !== '');
  return { rule, head, literals, ending, whole: toEnd && parts.length === 1, octets };
}

function byPrecedence(a: CompiledRule, b: CompiledRule): number {
  return b.octets - a.octets || Number(b.rule.allow) - Number(a.rule.allow) || a.rule.line - b.rule.line;
}

/** By head: the ranks (places in `ranked`) of its wanted rules, best first. */
function ranksByHead(
  heads: Prefixes,
  ranked: readonly CompiledRule[],
  wanted: (rule: CompiledRule) => boolean,
): readonly (readonly number[])[] {
  const ranks = Map.groupBy(ranked.keys(), (rank) => ranked[rank]?.head);
  return heads.words.map((head) =>
    (ranks.get(head) ?? []).filter((rank) => {
      const rule = ranked[rank];
      return rule !== undefined && wanted(rule);
    }),
  );
}

/** The best rank below `best` among matching rules; `best` itself if none matches. The head must match already. */
function bestRank(
  ranks: readonly number[],
  ranked: readonly CompiledRule[],
  path: string,
  best: number,
): number {
  for (const rank of ranks) {
    if (rank >= best) return best;
    const rule = ranked[rank];
    if (rule !== undefined && restMatches(rule, path)) return rank;
  }
  return best;
}

/** Does the path match after the head? The head must match already. */
function restMatches({ head, literals, ending, whole }: CompiledRule, path: string): boolean {
  if (whole) return path.length === head.length;
  let from = head.length;
  for (const literal of literals) {
    const at = path.indexOf(literal, from);
    if (at < 0) return false;
    from = at + literal.length;
  }
  return ending === null || (path.length - ending.length >= from && path.endsWith(ending));
}
