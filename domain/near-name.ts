/** The name that somebody may have meant. */

/** Edits (Levenshtein) between two names. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** A name longer than this is nobody's slip, and would take long to compare. */
const longest = 100;

/** The known name with the fewest edits, if they are no more than `most`; null: none is near. Case does not count. */
export function nearName(name: string, known: readonly string[], most: number): string | null {
  if (name.length > longest) return null;
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const each of known) {
    const edits = distance(name.toLowerCase(), each.toLowerCase());
    if (edits <= most && (best === null || edits < best.edits)) best = { name: each, edits };
  }
  return best?.name ?? null;
}
