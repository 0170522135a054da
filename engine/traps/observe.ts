/** What a page shows to the watch for traps (domain/traps/watch.ts). */
import type { Extracted } from '../../contracts/extraction.ts';
import { hostsBelow, kindOfShape, shapesOf } from '../../domain/traps/shape.ts';
import { printText } from '../../domain/traps/text.ts';
import type { Observation } from '../../domain/traps/watch.ts';
import { pathAndQuery, type CanonicalUrl } from '../../domain/url.ts';

/** Most new links of a page whose shapes are looked at; the others count as the first. */
const mostFresh = 64;
/** Links of a page among which a crowd of one shape is looked for, for each link that is not yet a crowd. */
const mostCrowd = 4;

export interface ReadPage {
  readonly link: CanonicalUrl;
  /** SHA-256 of the body. */
  readonly body: Uint8Array;
  /** Null: the body is that of another page, and was not read. */
  readonly extracted: Pick<Extracted, 'whole' | 'title' | 'links' | 'hiddenLinks'> | null;
  /** Links to its own host that were new to the crawl, as they were found. */
  readonly fresh: readonly string[];
  /** Milliseconds that the answer took; null: not known. */
  readonly tookMs: number | null;
}

/** Path and query of a URL as shapes are made from it. */
export const shapedPart = ({ canonical, host }: Pick<CanonicalUrl, 'canonical' | 'host'>): string =>
  pathAndQuery({ url: canonical, host });

/** @param crowd links of one shape on a page that are not yet a crowd */
export function observe({ link, body, extracted, fresh, tookMs }: ReadPage, crowd: number): Observation {
  const path = shapedPart(link);
  const own = `${link.host}/`;
  const ownLinks = extracted?.links.filter((url) => url.startsWith(own)) ?? [];
  return {
    shapes: shapesOf(path),
    print: extracted === null ? null : printText(`${extracted.title ?? ''} ${extracted.whole.text}`, path),
    body: new DataView(body.buffer, body.byteOffset).getUint32(0),
    links: ownLinks.length,
    fresh: shapesIn(fresh, own),
    hidden:
      extracted === null
        ? {}
        : shapesIn(
            fresh.filter((url) => extracted.hiddenLinks.has(url)),
            own,
          ),
    freshLinks: fresh.length,
    crowd: ownLinks.length > crowd ? crowdIn(ownLinks, own, crowd) : null,
    tookMs,
  };
}

/** Name of the host of a URL. */
const nameIn = (url: string): string => url.split('/', 3)[2]?.replace(/:\d+$/, '') ?? '';

/**
 * The page as one of the hosts below a domain: only what leads to other hosts there counts.
 * @param own what the page shows to the watch of its own host @param fresh its new links to other hosts
 */
export function observeBelow(
  domain: string,
  hostId: number,
  own: Observation,
  links: readonly string[],
  fresh: readonly string[],
  host: string,
): Observation {
  const elsewhere = (urls: readonly string[]): number =>
    urls.filter((url) => nameIn(url).endsWith(`.${domain}`) && !url.startsWith(`${host}/`)).length;
  const [count, shape] = [elsewhere(fresh), hostsBelow(domain)];
  return {
    ...{ shapes: [shape], print: own.print, body: own.body, links: elsewhere(links) },
    ...{
      fresh: { [shape]: count },
      hidden: {},
      freshLinks: count,
      crowd: null,
      tookMs: own.tookMs,
      from: hostId,
    },
  };
}

/** How many of the URLs have each shape. */
function shapesIn(urls: readonly string[], own: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const looked = urls.slice(0, mostFresh);
  for (const url of looked)
    for (const shape of shapesOf(url.slice(own.length - 1))) counts[shape] = (counts[shape] ?? 0) + 1;
  const factor = urls.length / Math.max(1, looked.length);
  if (factor > 1)
    for (const [shape, count] of Object.entries(counts)) counts[shape] = Math.round(count * factor);
  return counts;
}

function crowdIn(urls: readonly string[], own: string, crowd: number): string | null {
  const counts = new Map<string, number>();
  for (const url of urls.slice(0, mostCrowd * crowd)) {
    const [narrowest] = shapesOf(url.slice(own.length - 1));
    if (narrowest === undefined || !['exact', 'query'].includes(kindOfShape(narrowest))) continue;
    const count = (counts.get(narrowest) ?? 0) + 1;
    if (count > crowd) return narrowest;
    counts.set(narrowest, count);
  }
  return null;
}
