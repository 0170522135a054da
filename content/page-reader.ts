/**
 * One pass over a page, on the tokenizer alone: no tree is built and no stack of open elements is kept, so nesting
 * costs nothing (100,000 open tags read as fast as 100,000 closed ones) and nothing has to be cut for depth.
 * What a tree would tell is told by three small counters:
 *
 * - `foreign`: inside <svg> or <math>, where <title>, <style> and self-closing tags mean something else. Left at the
 *   end tag or at an HTML element that cannot be inside.
 * - `inert`: inside <template>, whose content is no part of the page: neither text nor links.
 * - `quiet`: the outermost element whose text is left out (its links count). Left at its end tag, or when an element
 *   closes that was open before it: that is how a browser treats an unclosed <nav>.
 */
import type { TokenizerCallbacks } from 'htmlparser2';
import {
  blockElements,
  breakoutElements,
  containerElements,
  nestingElements,
  quietElements,
  readElements,
} from './elements.ts';
import { foldLine, FoldedText, type FoldedLine } from './folded-text.ts';
import { LinkContexts } from './link-context.ts';
import { LinkCollector } from './links.ts';
import { combine, type Directives, noDirectives, parseDirectives } from './robots-directives.ts';
import { skippingTokenizer } from './skipping-tokenizer.ts';

/** Characters of text, title and description kept. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_TITLE = 1_000;
const LONGEST_DESCRIPTION = 2_000;

const containerIndex = new Map<string, number>(containerElements.map((name, index) => [name, index]));

export class PageReader implements TokenizerCallbacks {
  readonly title = new FoldedText(LONGEST_TITLE);
  readonly text = new FoldedText(LONGEST_TEXT);
  readonly links = new LinkCollector();
  /** Null: nobody asks what links say. */
  readonly contexts: LinkContexts | null;
  /** Of the first <base> that has one. */
  baseHref: string | null = null;
  canonicalHref: string | null = null;
  /** The `lang` attribute of <html>. */
  language: string | null = null;
  directives: Directives = noDirectives;

  private readonly source: string;
  private readonly xhtml: boolean;
  private readonly agentTokens: readonly string[];
  private ownDescription: FoldedLine | null = null;
  private sharedDescription: FoldedLine | null = null;

  /** Name of the tag being read, and its attributes where they matter. */
  private tag = '';
  private readsAttributes = false;
  private attribute = '';
  private value = '';
  private readonly attributes = new Map<string, string>();

  private inTitle = false;
  /** The first title that says something is the page's; later ones are passed over. */
  private hasTitle = false;
  private foreign = 0;
  private inert = 0;
  private quiet: string | null = null;
  /** Open elements of the quiet one's own name. */
  private quietDepth = 0;
  /** Open containers by kind, and how many there were when the quiet element began. */
  private readonly open = new Int32Array(containerElements.length);
  private readonly openBeforeQuiet = new Int32Array(containerElements.length);

  /**
   * @param xhtml self-closing tags close and CDATA is text
   * @param agentTokens whose <meta> directives count as ours
   * @param withContexts what links say is kept
   */
  constructor(source: string, xhtml: boolean, agentTokens: readonly string[], withContexts = false) {
    this.contexts = withContexts ? new LinkContexts() : null;
    this.source = source;
    this.xhtml = xhtml;
    this.agentTokens = agentTokens;
  }

  /** Reads the whole source; then the public fields hold what was found. */
  read(): void {
    const tokenizer = skippingTokenizer(this.xhtml, this);
    tokenizer.write(this.source);
    tokenizer.end();
  }

  /** The page's own description, else the one meant for sharing. */
  get description(): FoldedLine | null {
    return this.ownDescription ?? this.sharedDescription;
  }

  isInForeignContext(): boolean {
    return this.foreign > 0;
  }

  ontext(start: number, end: number): void {
    this.addText(this.source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.addText(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.xhtml) this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.source.slice(start, end).toLowerCase();
    this.readsAttributes = readElements.has(this.tag);
    if (this.readsAttributes) this.attributes.clear();
  }

  onattribname(start: number, end: number): void {
    if (this.readsAttributes) this.attribute = this.source.slice(start, end).toLowerCase();
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.readsAttributes) this.value += this.source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.readsAttributes) this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.readsAttributes && !this.attributes.has(this.attribute)) {
      this.attributes.set(this.attribute, this.value);
    }
  }

  onopentagend(): void {
    this.opened(this.tag);
  }

  onselfclosingtag(): void {
    const closes = this.xhtml || this.foreign > 0 || this.tag === 'svg' || this.tag === 'math';
    this.opened(this.tag);
    if (closes) this.closed(this.tag);
  }

  onclosetag(start: number, end: number): void {
    this.closed(this.source.slice(start, end).toLowerCase());
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  private addText(piece: string): void {
    if (this.foreign > 0 || this.inert > 0) return;
    if (this.inTitle) {
      if (!this.hasTitle) this.title.add(piece);
    } else if (this.quiet === null) {
      this.text.add(piece);
    }
    if (this.contexts !== null && !this.inTitle && (this.quiet === null || saysSomething.has(this.quiet)))
      this.contexts.add(piece);
  }

  private opened(name: string): void {
    if (this.foreign > 0 && breakoutElements.has(name)) this.foreign = 0;
    if (name === 'svg' || name === 'math') this.foreign++;
    if (name === 'title') this.beginTitle();
    if (this.foreign === 0 && blockElements.has(name)) this.breakBlock();
    if (this.readsAttributes) this.readAttributes(name);
    const container = containerIndex.get(name);
    if (container !== undefined) this.open[container] = (this.open[container] ?? 0) + 1;
    if (this.quiet === null) {
      if (quietElements.has(name)) this.beginQuiet(name);
    } else if (this.quiet === name && nestingElements.has(name)) {
      this.quietDepth++;
    }
  }

  private breakBlock(): void {
    this.text.breakBlock();
    this.contexts?.add(' ');
  }

  private beginTitle(): void {
    this.inTitle = this.foreign === 0;
    this.hasTitle = !this.title.isEmpty;
  }

  private beginQuiet(name: string): void {
    this.quiet = name;
    this.quietDepth = 1;
    this.openBeforeQuiet.set(this.open);
  }

  private closed(name: string): void {
    if (this.foreign > 0 && (name === 'svg' || name === 'math')) this.foreign--;
    if (name === 'title') this.inTitle = false;
    if (name === 'template' && this.inert > 0) this.inert--;
    if (this.foreign === 0 && blockElements.has(name)) this.breakBlock();
    if (name === 'a') this.contexts?.end();
    const container = containerIndex.get(name);
    if (container !== undefined) this.closeContainer(container);
    if (this.quiet === name && --this.quietDepth === 0) this.quiet = null;
  }

  private closeContainer(container: number): void {
    const open = this.open[container] ?? 0;
    if (open === 0) return;
    this.open[container] = open - 1;
    if (open - 1 < (this.openBeforeQuiet[container] ?? 0)) this.quiet = null;
  }

  private readAttributes(name: string): void {
    const { attributes } = this;
    // A declarative shadow root is part of the page, unless it lies in a template itself.
    if (name === 'template' && (this.inert > 0 || !attributes.has('shadowrootmode'))) this.inert++;
    if (this.inert > 0) return;
    switch (name) {
      case 'html':
        this.language ??= attributes.get('lang') ?? attributes.get('xml:lang') ?? null;
        break;
      case 'base':
        this.baseHref ??= attributes.get('href') ?? null;
        break;
      case 'meta':
        this.readMeta(attributes.get('content') ?? '');
        break;
      case 'link':
        this.readLink(attributes.get('href'), relations(attributes.get('rel')));
        break;
      default:
        this.addLink(attributes.get(name === 'a' || name === 'area' ? 'href' : 'src'), attributes.get('rel'));
    }
  }

  private readMeta(content: string): void {
    const { attributes } = this;
    const name = (attributes.get('name') ?? attributes.get('property') ?? '').trim().toLowerCase();
    if (name === 'description') this.ownDescription ??= foldLine(content, LONGEST_DESCRIPTION);
    else if (name === 'og:description') this.sharedDescription ??= foldLine(content, LONGEST_DESCRIPTION);
    else if (name === 'robots' || (name !== '' && this.agentTokens.includes(name))) {
      this.directives = combine(this.directives, parseDirectives(content));
    }
    if (attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
      this.addLink(refreshTarget(content), undefined);
    }
  }

  private readLink(href: string | undefined, relation: readonly string[]): void {
    if (relation.includes('canonical')) this.canonicalHref ??= href ?? null;
    if (relation.includes('next') || relation.includes('prev')) this.addLink(href, undefined);
  }

  private addLink(href: string | undefined, rel: string | undefined): void {
    if (href === undefined) return;
    const barred = rel !== undefined && relations(rel).some((word) => barringRelations.has(word));
    this.links.add(href, !barred);
    if (this.tag === 'a') this.contexts?.begin(href);
  }
}

/** Quiet elements whose links speak. */
const saysSomething: ReadonlySet<string> = new Set(['nav', 'aside', 'footer']);

const barringRelations: ReadonlySet<string> = new Set(['nofollow', 'ugc', 'sponsored']);

/** The words of a rel attribute, lower-case. */
function relations(rel: string | undefined): readonly string[] {
  return rel === undefined ? [] : rel.toLowerCase().split(/\s+/);
}

/** Address in `<meta http-equiv="refresh">` (HTML standard section 4.2.5.3), without its quotes. */
function refreshTarget(content: string): string | undefined {
  const [, quote = '', rest] = /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(["']?)(.+)$/is.exec(content) ?? [];
  return quote === '' ? rest : rest?.split(quote, 1)[0];
}
