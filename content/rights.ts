/**
 * What a page says of the rights in it: its licence, and what may be done with it. Only gathered and shown: what the
 * crawl itself obeys (noindex, nofollow) is decided elsewhere.
 */
import type { PageRights } from '../contracts/http/page-meta.ts';
import { keptField } from '../domain/rights-fields.ts';
import { foldLine } from './folded-text.ts';
import type { Directives } from './robots-directives.ts';
import { isItem, type SchemaItem, textsOf } from './schema-items.ts';

type License = NonNullable<PageRights['licenses']>[number];

/** Licences of a page that are kept, and characters of one. */
const mostLicenses = 5;
const longestLicense = 300;
const licenseNames: ReadonlySet<string> = new Set([
  'dc.rights',
  'dcterms.license',
  'dcterms.rights',
  'license',
]);
/** Deeds of Creative Commons, which sites link to without a word of what the link means. */
const deed = /^\s*(?:https?:)?\/\/(?:www\.)?creativecommons\.org\/(?:licenses|publicdomain)\//i;

export class RightsReader {
  readonly #found: { readonly value: string; readonly from: License['from'] }[] = [];
  #reservation: string | null = null;
  #policy: string | null = null;

  /** @param name lower-case */
  meta(name: string, content: string): void {
    if (name === 'tdm-reservation') this.#reservation ??= content;
    else if (name === 'tdm-policy') this.#policy ??= content;
    else if (licenseNames.has(name)) this.#add(content, 'meta');
  }

  link(rel: string | undefined, href: string | undefined): void {
    if (href === undefined) return;
    if (rel !== undefined && /(?:^|\s)license(?:\s|$)/i.test(rel)) this.#add(href, 'link');
    else if (deed.test(href)) this.#add(href, 'deed');
  }

  #add(value: string, from: License['from']): void {
    if (this.#found.length < 4 * mostLicenses && value.length <= longestLicense)
      this.#found.push({ value, from });
  }

  /**
   * Null: the page says nothing of it.
   * @param fields of the answer (domain/rights-fields.ts), which count before what the page says itself
   */
  finish(
    { noarchive, nosnippet, noai, noimageai, unavailableAfter }: Directives,
    items: readonly SchemaItem[],
    resolve: (href: string) => string | null,
    fields: string | null,
  ): PageRights | null {
    const licenses = this.#licenses(items, resolve);
    const reservation = (keptField(fields, 'tdm-reservation') ?? this.#reservation)?.trim();
    const policy = keptField(fields, 'tdm-policy') ?? this.#policy;
    const policyUrl = policy === null || policy.length > longestLicense ? null : resolve(policy.trim());
    const after = unavailableAfter === null ? null : new Date(unavailableAfter);
    const rights: PageRights = {
      ...(licenses.length > 0 && { licenses }),
      ...(noai && ({ noai } as const)),
      ...(noimageai && ({ noimageai } as const)),
      ...(noarchive && ({ noarchive } as const)),
      ...(nosnippet && ({ nosnippet } as const)),
      ...(after !== null && !Number.isNaN(after.getTime()) && { unavailableAfter: after.toISOString() }),
      // TDMRep section 4: 1 reserves the rights in text and data mining, 0 does not; other values say nothing.
      ...((reservation === '0' || reservation === '1') && { tdmReservation: reservation === '1' }),
      ...(policyUrl !== null && { tdmPolicy: policyUrl }),
    };
    return Object.keys(rights).length === 0 ? null : rights;
  }

  #licenses(items: readonly SchemaItem[], resolve: (href: string) => string | null): License[] {
    const stated = items.flatMap((item) =>
      licensesOf(item['license']).map((value) => ({ value, from: 'schema' as const })),
    );
    const licenses = new Map<string, License>();
    for (const { value, from } of [...this.#found, ...stated]) {
      const isAddress = from === 'link' || from === 'deed' || /^(?:https?:)?\/\//i.test(value);
      const line = isAddress ? resolve(value) : (foldLine(value, longestLicense)?.text ?? null);
      if (line === null || line.length > longestLicense || licenses.size >= mostLicenses) continue;
      if (!licenses.has(line)) licenses.set(line, { value: line, from });
    }
    return [...licenses.values()];
  }
}

/** An address or a name, or an item with either. */
function licensesOf(value: unknown): string[] {
  if (!isItem(value)) return textsOf(value);
  return [...textsOf(value['url']), ...textsOf(value['@id']), ...textsOf(value)].slice(0, 1);
}
