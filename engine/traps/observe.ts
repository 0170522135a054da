/** What a page shows to the watch for traps (domain/traps/watch.ts). */
import type { Extracted } from '../../contracts/extraction.ts';
import { depthOf, hostsBelow, shapesOf, shortened, wholeHost } from '../../domain/traps/shape.ts';
import { printPage } from '../../domain/traps/text.ts';
import type { LinksInto, Observation } from '../../domain/traps/watch.ts';
import { pathAndQuery, type CanonicalUrl } from '../../domain/url.ts';

/** Most links of a page whose shapes are looked at: they are taken evenly and stand for all. */
const mostLinks = 48;

/** Files that are content of the page that names them: each is a word of it. */
const fileName = /\.(?:jpe?g|png|gif|webp|avif|svg|tiff?|jp2|djvu|pdf|epub|mp3|mp4|ogg|webm|zip)(?:$|[?;])/i;

export interface ReadPage {
  readonly link: CanonicalUrl;
  /** SHA-256 of the body. */
  readonly body: Uint8Array;
  /** Null: the body is that of another page, and was not read. */
  readonly extracted: Pick<Extracted, 'whole' | 'title' | 'links' | 'pictures' | 'noindex'> | null;
  /** Links to its own host that were new to the crawl, as they were found. */
  readonly fresh: readonly string[];
}

/** Path and query of a URL as shapes are made from it. */
export const shapedPart = ({ canonical, host }: Pick<CanonicalUrl, 'canonical' | 'host'>): string =>
  pathAndQuery({ url: canonical, host });

export function observe({ link, body, extracted, fresh }: ReadPage): Observation {
  const path = shapedPart(link);
  const shapes = shapesOf(path);
  const own = `${link.host}/`;
  const ownLinks = extracted?.links.filter((url) => url.startsWith(own)) ?? [];
  const isNew = new Set(fresh);
  const depth = depthOf(path);
  // No text names an address.
  const hostname = nameIn(link.host);
  const name = /^[\d.]+$/.test(hostname) ? '' : hostname;
  const alike = [name];
  const into: Record<string, { links: number; fresh: number; level: number }> = {
    [wholeHost]: { links: ownLinks.length, fresh: fresh.length, level: 0 },
  };
  // Links that share no part with the page have no shape of it but the whole host.
  const near = ownLinks.filter((url) => sharesPart(url.slice(own.length - 1), path));
  const step = Math.max(1, Math.ceil(near.length / mostLinks));
  for (let at = 0; at < near.length; at += step) {
    const url = near[at] ?? '';
    const other = url.slice(own.length - 1);
    const theirs = shapesOf(other);
    if (theirs[0] === shapes[0]) alike.push(other);
    const isLevel = isNew.has(url) && depthOf(other) <= depth;
    for (const shape of theirs) {
      if (!shapes.includes(shape)) continue;
      const found = (into[shape] ??= { links: 0, fresh: 0, level: 0 });
      if (isLevel) found.level += step;
      if (shape === wholeHost) continue;
      found.links += step;
      if (isNew.has(url)) found.fresh += step;
    }
  }
  const pictures = [
    ...(extracted?.pictures ?? []),
    ...(extracted?.links.filter((url) => fileName.test(url)) ?? []),
  ];
  return {
    shapes,
    ...shortened(path),
    print:
      extracted === null
        ? null
        : printPage({ title: extracted.title, text: extracted.whole.text, pictures, name }, path, alike),
    body: new DataView(body.buffer, body.byteOffset).getUint32(0),
    noindex: extracted?.noindex ?? null,
    into,
  };
}

/** May two paths have a shape in common? The same first segment, one with digits or none in both, or parameters. */
function sharesPart(one: string, other: string): boolean {
  const [first, second] = [firstSegment(one), firstSegment(other)];
  if (first.text === second.text || (one.includes('?') && other.includes('?'))) return true;
  return (first.isLast && second.isLast) || (/\d/.test(first.text) && /\d/.test(second.text));
}

function firstSegment(path: string): { readonly text: string; readonly isLast: boolean } {
  const end = path.slice(1).search(/[/?]/);
  return end < 0
    ? { text: path.slice(1), isLast: true }
    : { text: path.slice(1, end + 1), isLast: path[end + 1] === '?' };
}

/** Name of the host of a URL. */
const nameIn = (url: string): string => url.split('/', 3)[2]?.replace(/:\d+$/, '') ?? '';

/**
 * The page as one of the hosts below a domain: what leads to other hosts there is new, and its own host is one of them.
 * Words of its URL say nothing there, its name among them.
 * @param own what the page shows to the watch of its own host @param fresh its new links to other hosts
 */
export function observeBelow(
  domain: string,
  own: Observation,
  links: readonly string[],
  fresh: readonly string[],
  host: string,
): Observation {
  const below = (urls: readonly string[]): number =>
    urls.filter((url) => nameIn(url).endsWith(`.${domain}`)).length;
  const shape = hostsBelow(domain);
  const elsewhere = below(fresh.filter((url) => !url.startsWith(`${host}/`)));
  const into: LinksInto = { links: below(links), fresh: elsewhere, level: elsewhere };
  const print = own.print === null ? null : { ...own.print, said: own.print.echo };
  const seen = { shapes: [shape], whole: host + own.whole, without: [], into: { [shape]: into } };
  // Each host has a queue of its own: none goes behind another.
  return { ...own, print, noindex: null, ...seen };
}
