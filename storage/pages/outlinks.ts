/**
 * A page's links as they are stored: one on each line, those within the page's own origin from the path on, which
 * halves the rows of most pages. URLs hold no line breaks, and a URL that is written whole never starts with a slash.
 */

/** @param origin of the page, spelt like its host: scheme and authority */
export function packOutlinks(origin: string, links: readonly string[]): string {
  return links.map((link) => (link.startsWith(`${origin}/`) ? link.slice(origin.length) : link)).join('\n');
}

export function unpackOutlinks(origin: string, packed: string): string[] {
  if (packed === '') return [];
  return packed.split('\n').map((line) => (line.startsWith('/') ? origin + line : line));
}
