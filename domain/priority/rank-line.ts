/**
 * A line of a public ranking of domains: `rank,domain`, as Tranco and Umbrella have it, or a line of Common Crawl's
 * ranks of hosts or domains, tab-separated: place and value by harmonic centrality, place and value by PageRank, and the
 * name with its labels reversed (`com.example`).
 */
import { readDomain } from '../opt-out.ts';

export interface RankLine {
  /** As in the host of a canonical URL. */
  readonly domain: string;
  /** From 1, the best. */
  readonly place: number;
}

/** 'skip': a heading, a comment or an empty line; null: not a line of a ranking. */
export function readRankLine(text: string): RankLine | 'skip' | null {
  const line = text.trim();
  if (line === '' || line.startsWith('#') || /^(?:global_?)?rank[,;]/i.test(line)) return 'skip';
  const tabbed = line.split('\t');
  const [first, name] =
    tabbed.length >= 5
      ? [tabbed[0], tabbed[4]?.split('.').reverse().join('.')]
      : line.split(/[,;\t]/).map((part) => part.trim().replace(/^"(.*)"$/, '$1'));
  if (first === undefined || name === undefined || !/^[1-9]\d{0,8}$/.test(first)) return null;
  const read = readDomain(name);
  return read.ok ? { domain: read.domain, place: Number(first) } : null;
}
