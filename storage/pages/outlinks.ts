/**
 * A page's links as they are stored: a line each, those within its own origin from the path on, which halves the
 * rows of most pages. URLs hold no line breaks; one that is written whole never starts with a slash.
 */

/** @param origin of the page, as its host is named: scheme and authority */
export function packOutlinks(origin: string, links: readonly string[]): string {
  return links.map((link) => (link.startsWith(`${origin}/`) ? link.slice(origin.length) : link)).join('\n');
}

export function unpackOutlinks(origin: string, packed: string): string[] {
  if (packed === '') return [];
  return packed.split('\n').map((line) => (line.startsWith('/') ? origin + line : line));
}
