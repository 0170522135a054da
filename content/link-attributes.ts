/** What attributes say of a link. */

import { barringRelations } from '../contracts/page-rules.ts';

const barring: ReadonlySet<string> = new Set(barringRelations);

/**
 * Does the page ask not to follow a link with such a rel attribute?
 * @param followed relations by which no link is barred
 */
export function isBarred(rel: string | undefined, followed: readonly string[] = []): boolean {
  return rel !== undefined && relations(rel).some((word) => barring.has(word) && !followed.includes(word));
}

/** The words of a rel attribute, lower-case. Some pages part them by commas. */
export function relations(rel: string | undefined): readonly string[] {
  return rel === undefined ? [] : rel.toLowerCase().split(/[\s,]+/);
}

/** Address in `<meta http-equiv="refresh">` (HTML standard section 4.2.5.3), without its quotes. */
export function refreshTarget(content: string): string | undefined {
  const [, quote = '', rest] = /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(["']?)(.+)$/is.exec(content) ?? [];
  return quote === '' ? rest : rest?.split(quote, 1)[0];
}
