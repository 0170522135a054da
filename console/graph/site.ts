/** The graph of a crawl from the links of its pages: hosts, or the folders of one host. */
import type { PageView } from '../../contracts/http/results.ts';
import { ask, pathOf, type Paged } from '../api/client.ts';

export interface Node {
  readonly name: string;
  /** Pages that were read, and links that lead there from other nodes. */
  pages: number;
  linksIn: number;
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  links: number;
}

export interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Pages whose links were read, and whether there are more. */
  readonly pages: number;
  readonly isWhole: boolean;
  /** Nodes that are not shown, those with the fewest links. */
  readonly leftOut: number;
}

const [pagesAtOnce, mostPages, mostNodes, mostEdges] = [500, 5_000, 5_000, 15_000];

/** @param host null: nodes are hosts; else the first folders of this one, as `https://example.com` */
const nodeOf =
  (host: string | null) =>
  (url: string): string | null => {
    const at = URL.parse(url);
    if (at === null || !/^https?:$/.test(at.protocol)) return null;
    if (host === null) return at.origin;
    if (at.origin !== host) return null;
    const folders = at.pathname.split('/').slice(1, -1);
    return `/${folders.slice(0, 2).join('/')}${folders.length > 0 ? '/' : ''}`;
  };

/** Collects pages; what comes later adds to what is there. */
class Collecting {
  readonly #nodeOf: (url: string) => string | null;
  readonly #nodes = new Map<string, Node>();
  readonly #links = new Map<string, Map<string, number>>();
  #pages = 0;

  constructor(host: string | null) {
    this.#nodeOf = nodeOf(host);
  }

  get pages(): number {
    return this.#pages;
  }

  #node(name: string): Node {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const made = { name, pages: 0, linksIn: 0 };
    this.#nodes.set(name, made);
    return made;
  }

  add(url: string, links: readonly string[]): void {
    const from = this.#nodeOf(url);
    if (from === null) return;
    this.#pages++;
    this.#node(from).pages++;
    const targets = this.#links.get(from) ?? new Map<string, number>();
    this.#links.set(from, targets);
    for (const link of links) {
      const to = this.#nodeOf(link);
      if (to === null || to === from) continue;
      this.#node(to).linksIn++;
      targets.set(to, (targets.get(to) ?? 0) + 1);
    }
  }

  /** @param isWhole all pages of the crawl are in it */
  graph(isWhole: boolean): Graph {
    const weight = ({ pages, linksIn }: Node): number => pages + linksIn;
    const nodes = [...this.#nodes.values()].sort((a, b) => weight(b) - weight(a)).slice(0, mostNodes);
    const places = new Map(nodes.map(({ name }, at) => [name, at]));
    const edges: Edge[] = [];
    for (const [from, targets] of this.#links)
      for (const [to, links] of targets) {
        const [one, other] = [places.get(from), places.get(to)];
        if (one !== undefined && other !== undefined) edges.push({ from: one, to: other, links });
      }
    edges.sort((a, b) => b.links - a.links);
    return {
      nodes,
      edges: edges.slice(0, mostEdges),
      pages: this.#pages,
      isWhole,
      leftOut: this.#nodes.size - nodes.length,
    };
  }
}

/** Reads the pages a piece at a time, and tells the graph after each. @throws Refusal */
export async function readGraph(
  crawlId: string,
  host: string | null,
  tell: (graph: Graph) => void,
  signal: AbortSignal,
): Promise<void> {
  const collecting = new Collecting(host);
  let cursor: string | null = null;
  while (collecting.pages < mostPages) {
    const path: string = pathOf(`/v1/crawls/${crawlId}/pages`, {
      fields: 'links',
      limit: pagesAtOnce,
      ...(host !== null && { host: new URL(host).host }),
      cursor,
    });
    const { items, next, more }: Paged<PageView> = await ask(path, { signal });
    for (const { url, links } of items) collecting.add(url, links ?? []);
    const isWhole = next === null || more === false;
    tell(collecting.graph(isWhole));
    if (isWhole) return;
    cursor = next;
  }
}
