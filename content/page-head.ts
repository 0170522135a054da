/** What a page says of itself in elements without text: <html>, <base>, <meta>, <link>. */
import { refreshTarget, relations } from './link-attributes.ts';
import { MetaReader } from './meta-reader.ts';
import { RightsReader } from './rights.ts';
import { combine, type Directives, noDirectives, parseDirectives } from './robots-directives.ts';

type Attributes = ReadonlyMap<string, string>;

/** Names that one <meta> has. */
const mostMetaNames = 10;

export class PageHead {
  readonly meta = new MetaReader();
  readonly rights = new RightsReader();
  /** The address of the first <base> that has one. */
  baseHref: string | null = null;
  canonicalHref: string | null = null;
  /** The `lang` attribute of <html>. */
  language: string | null = null;
  directives: Directives = noDirectives;
  readonly #agentTokens: readonly string[];

  /** @param agentTokens whose <meta> directives count as ours */
  constructor(agentTokens: readonly string[]) {
    this.#agentTokens = agentTokens;
  }

  readHtml(attributes: Attributes): void {
    this.language ??= attributes.get('lang') ?? attributes.get('xml:lang') ?? null;
  }

  readBase(attributes: Attributes): void {
    this.baseHref ??= attributes.get('href') ?? null;
  }

  /** The address that the page is refreshed to; undefined: this <meta> names none. */
  readMeta(attributes: Attributes): string | undefined {
    const content = attributes.get('content') ?? '';
    for (const name of namesOf(attributes)) {
      this.meta.meta(name, content);
      this.rights.meta(name, content);
      if (name === 'robots' || this.#agentTokens.includes(name))
        this.directives = combine(this.directives, parseDirectives(content));
    }
    const pragma = attributes.get('http-equiv')?.trim().toLowerCase() ?? '';
    // HTML standard section 4.2.5.3: the language of a page whose <html> declares none.
    if (pragma === 'content-language') this.meta.meta(pragma, content);
    return pragma === 'refresh' ? refreshTarget(content) : undefined;
  }

  /** Which page a <link> leads to: the same in another language, the next or the one before; null: none. */
  readLink(attributes: Attributes): 'version' | 'neighbour' | null {
    const relation = relations(attributes.get('rel'));
    const href = attributes.get('href');
    this.meta.link(relation, attributes);
    this.rights.link(attributes.get('rel'), href);
    if (relation.includes('canonical')) this.canonicalHref ??= href ?? null;
    if (relation.includes('alternate') && attributes.has('hreflang')) return 'version';
    return relation.includes('next') || relation.includes('prev') ? 'neighbour' : null;
  }
}

/**
 * Names of a <meta>, lower-case. Pages write them into whichever attribute, and several at once:
 * `name="description" property="og:description"`.
 */
function namesOf(attributes: Attributes): Iterable<string> {
  const properties = attributes.get('property')?.split(/\s+/, mostMetaNames) ?? [];
  const names = new Set<string>();
  for (const written of [attributes.get('name'), ...properties, attributes.get('itemprop')]) {
    const name = written?.trim().toLowerCase() ?? '';
    if (name !== '') names.add(name);
  }
  return names;
}
