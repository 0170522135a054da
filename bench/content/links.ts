/** Links of documentation pages, as parse5 and we find them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Extractor } from '../../content/extract.ts';
import { matchesOfSets, type Matches } from './measures.ts';
import type { Peers, TreeNode } from './peers.ts';

/** Of every page, and the pages on which they differ. */
export function compareLinks(
  extractor: Extractor,
  peers: Peers,
  files: readonly string[],
): { matches: Matches; pages: number; odd: string[] } {
  let [both, foundOnly, knownOnly] = [0, 0, 0];
  const odd: string[] = [];
  for (const file of files) {
    const url = `http://docs.example${file.split('/').map(encodeURIComponent).join('/')}`;
    const body = readPage(file);
    const { links, charset } = extractor.extract({
      ...{ body, url, contentType: 'text/html', xRobotsTag: null, agentTokens: [], maxLinks: 1_000_000 },
    });
    const known = linksOfTree(peers.parseTree(new TextDecoder(charset).decode(body)), url);
    const page = matchesOfSets(new Set(links), known);
    both += page.both;
    foundOnly += page.foundOnly;
    knownOnly += page.knownOnly;
    if (page.foundOnly + page.knownOnly > 0) odd.push(file);
  }
  return { matches: { both, foundOnly, knownOnly }, pages: files.length, odd };
}

export const readPage = (file: string): Buffer =>
  file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);

/** What a crawl may follow, read off the tree: the rules of content/page-reader.ts in other words. */
function linksOfTree(root: TreeNode, page: string): Set<string> {
  const hrefs: string[] = [];
  let base = page;
  let hasBase = false;
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { attrs } = node;
    const attribute = (name: string): string | undefined => attrs?.find((each) => each.name === name)?.value;
    const words = (attribute('rel') ?? '').toLowerCase().split(/\s+/);
    const barred = words.some((word) => ['nofollow', 'ugc', 'sponsored'].includes(word));
    const href = attribute('href');
    if (node.nodeName === 'base' && href !== undefined && !hasBase) {
      base = URL.parse(href, page)?.href ?? page;
      hasBase = true;
    }
    if ((node.nodeName === 'a' || node.nodeName === 'area') && href !== undefined && !barred)
      hrefs.push(href);
    if (
      node.nodeName === 'link' &&
      href !== undefined &&
      (words.includes('next') || words.includes('prev'))
    ) {
      hrefs.push(href);
    }
    const source = attribute('src');
    if ((node.nodeName === 'iframe' || node.nodeName === 'frame') && source !== undefined) hrefs.push(source);
    open.push(...(node.childNodes ?? []));
  }
  const links = new Set<string>();
  for (const href of hrefs) {
    const url = URL.parse(href, base);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    url.hash = '';
    if (url.href !== page) links.add(url.href);
  }
  return links;
}
