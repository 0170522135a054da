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
 *
 * What people do not see is told by `hidden-parts.ts`, and left out in the same way.
 */
import type { TokenizerCallbacks } from 'htmlparser2';
import { Blocks } from './blocks.ts';
import {
  blockElements,
  breakoutElements,
  containerElements,
  mediaElements,
  nestingElements,
  pictureElements,
  quietElements,
  readElements,
  speakingElements,
} from './elements.ts';
import { FoldedText } from './folded-text.ts';
import { type Formula, FormulaReader, plainTex } from './formula.ts';
import { HiddenParts, hidingAttribute } from './hidden-parts.ts';
import { hintAttribute, hints, hintsOf } from './hints.ts';
import { hasItems, ItemReader } from './item-reader.ts';
import { isBarred, refreshTarget, relations } from './link-attributes.ts';
import { LinkContexts } from './link-context.ts';
import { LinkCollector } from './links.ts';
import type { Evidence } from './main-part.ts';
import { MetaReader } from './meta-reader.ts';
import { NoteSign } from './note-sign.ts';
import { type Asked, PageDetails } from './page-details.ts';
import { PageMarks } from './page-marks.ts';
import { RightsReader } from './rights.ts';
import { combine, type Directives, noDirectives, parseDirectives } from './robots-directives.ts';
import { maskInnerScripts } from './script-ends.ts';
import type { SchemaItem } from './schema-items.ts';
import { skippingTokenizer } from './skipping-tokenizer.ts';
import { shellWords } from './state-text.ts';
import { countWords } from './words.ts';

/** Characters of text and title kept. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_TITLE = 1_000;
const MOST_PICTURES = 100;
const LONGEST_ADDRESS = 1_000;

/** A page with a shorter text in hidden parts has none to speak of. */
const leastHidden = 300;
/** Longest raw text that may have fewer than `shellWords` words. */
const longestShell = 1_000;
/** Names that one <meta> has. */
const mostMetaNames = 10;
/** Elements that may be marks, whatever they are named. */
const markElements: ReadonlySet<string> = new Set(['time', 'a', 'abbr']);

const containerIndex = new Map<string, number>(containerElements.map((name, index) => [name, index]));
const headerIndex = containerElements.indexOf('header');

/** What elements are to the text around them. */
const textRoles: ReadonlyMap<string, 'reading' | 'raised' | 'heading' | 'body'> = new Map([
  ...(['rt', 'rp', 'rtc'] as const).map((name) => [name, 'reading'] as const),
  ['sup', 'raised'],
  ...(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary', 'dt', 'legend'] as const).map(
    (name) => [name, 'heading'] as const,
  ),
  ...(['p', 'li', 'dd', 'td'] as const).map((name) => [name, 'body'] as const),
]);
/** Classes of images of formulas, as WordPress, MediaWiki and others name them. */
const formulaImage = /(?:^|\s)(?:latex|tex|mwe-math-\S+)(?:$|\s)/;

export class PageReader implements TokenizerCallbacks {
  readonly title = new FoldedText(LONGEST_TITLE);
  readonly text = new FoldedText(LONGEST_TEXT);
  readonly links: LinkCollector;
  /** Addresses of pictures, films and the like, as the page has them: the first `MOST_PICTURES` that are no data: URLs. */
  readonly pictures: string[] = [];
  readonly blocks = new Blocks();
  readonly meta = new MetaReader();
  readonly rights = new RightsReader();
  readonly marks: PageMarks;
  /** Null: the page has no microdata and no RDFa. */
  readonly items: ItemReader | null;
  /** Null: nobody looks at the page. */
  readonly details: PageDetails | null;
  /** Null: nobody asks what links say. */
  readonly contexts: LinkContexts | null;
  /** This page stands in an attribute of another. */
  private readonly isInner: boolean;
  /** Relations of links that are followed nonetheless. */
  private readonly followed: readonly string[];
  /** Of the first <base> that has one. */
  baseHref: string | null = null;
  canonicalHref: string | null = null;
  /** The `lang` attribute of <html>. */
  language: string | null = null;
  directives: Directives = noDirectives;

  private readonly source: string;
  private readonly xhtml: boolean;
  private readonly agentTokens: readonly string[];

  /** Name of the tag being read, and its attributes where they matter. */
  private tag = '';
  private readsAttributes = false;
  private attribute = '';
  private value = '';
  private readonly attributes = new Map<string, string>();
  /** What the names of the block element being read say (content/hints.ts). */
  private told = 0;
  private readsHints = false;
  /** The first class of the element being read. */
  private sign = '';

  private readonly hidden = new HiddenParts();
  private readonly shows: NonNullable<Asked['shows']>;
  /** Characters of text for browsers without scripts. */
  private noscript = 0;

  /** The formula that is being read. */
  private formula: FormulaReader | null = null;
  /** Where the last formula ended in the text: its source may follow in a script. */
  private formulaEnd = -1;
  private readonly onFormula: Asked['onFormula'];
  /** <text> elements of SVG that are open. */
  private svgText = 0;
  /** Readings beside words (<rt>), what stands around them for browsers that know none, and titles of labels. */
  private inReading = false;
  private readonly note = new NoteSign();
  /** The open heading, or what is one of a part of the page: its name, and where it began in the text. */
  private heading: { readonly name: string; readonly from: number } | null = null;

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
   * @param asked what else is gathered: what links say; what is shown of a page
   */
  constructor(source: string, xhtml: boolean, agentTokens: readonly string[], asked: Asked = {}) {
    this.contexts = asked.contexts === true ? new LinkContexts() : null;
    this.details = asked.details === true ? new PageDetails() : null;
    this.shows = asked.shows ?? 'seen';
    this.onFormula = asked.onFormula;
    this.followed = asked.followed ?? [];
    this.links = asked.links ?? new LinkCollector();
    this.isInner = asked.links !== undefined;
    this.source = xhtml ? source : maskInnerScripts(source);
    this.xhtml = xhtml;
    this.agentTokens = agentTokens;
    this.items = hasItems(source) ? new ItemReader(source) : null;
    this.marks = new PageMarks(this.text, this.meta, this.blocks);
  }

  /** By which the main text is known. To be asked when the page was read. */
  evidence(items: readonly SchemaItem[]): Evidence {
    const bodies = items.flatMap(({ articleBody }) => (typeof articleBody === 'string' ? [articleBody] : []));
    const told = [...bodies, this.meta.description?.text ?? ''];
    return {
      title: this.title.raw,
      beginnings: told.map((text) => text.slice(0, 200).trim().replaceAll(/\s+/g, ' ')),
    };
  }

  /** Reads the whole source; then the public fields hold what was found. */
  read(): void {
    const tokenizer = skippingTokenizer(this.xhtml, this);
    tokenizer.write(this.source);
    tokenizer.end();
  }

  /** Text here is no part of what the page shows. */
  get isSilent(): boolean {
    const isForeign = this.foreign > 0 && this.svgText === 0;
    return (
      isForeign || this.inert > 0 || this.quiet !== null || this.inTitle || this.inReading || this.isHidden
    );
  }

  /** Does the tag that was read last hide its element? */
  get hidesElement(): boolean {
    return this.shows === 'seen' && this.hidden.hides(this.tag);
  }

  private get isHidden(): boolean {
    return this.shows === 'seen' && this.hidden.isHidden;
  }

  /**
   * Read whole, the page says hardly anything but in hidden parts, which a script shows, or in <noscript>: what it is to
   * be read with then; null: as it was read.
   */
  get hidesItsText(): Asked['shows'] | null {
    const noscript = this.marks.asksForScript ? 0 : this.noscript;
    const length = this.hidden.length + noscript;
    if (this.shows !== 'seen' || length < leastHidden || length <= this.text.length) return null;
    if (this.text.length > longestShell || countWords(this.text.raw) >= shellWords) return null;
    return noscript > 0 ? 'hidden-and-noscript' : 'hidden';
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
    this.told = 0;
    this.sign = '';
    this.hidden.beginTag();
    const tells = readElements.has(this.tag) || this.items !== null || this.marks.reads(this.tag);
    this.readsAttributes = tells || pictureElements.has(this.tag);
    if (this.readsAttributes) this.attributes.clear();
    this.readsHints = blockElements.has(this.tag) || tells;
  }

  onattribname(start: number, end: number): void {
    if (this.readsAttributes) this.attribute = this.source.slice(start, end).toLowerCase();
    else {
      this.attribute = hidingAttribute(this.source, start, end);
      if (this.readsHints && this.attribute === '') this.attribute = hintAttribute(this.source, start, end);
    }
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.attribute !== '') this.value += this.source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.attribute !== '') this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.attribute === '') return;
    this.hidden.attribute(this.attribute, this.value);
    if (this.readsAttributes && !this.attributes.has(this.attribute)) {
      this.attributes.set(this.attribute, this.value);
    }
    if (!this.readsHints) return;
    this.told |= hintsOf(this.attribute, this.value);
    if (this.attribute === 'class') this.sign = firstWord(this.value);
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

  onend(): void {
    this.blocks.end('', this.text.length);
  }

  private addText(piece: string): void {
    if (this.formula !== null) {
      this.formula.text(piece);
      return;
    }
    if ((this.foreign > 0 && this.svgText === 0) || this.inert > 0) return;
    if (this.isHidden) {
      this.addHidden(piece);
      return;
    }
    if (this.quiet === 'noscript') this.noscript += piece.trim().length;
    if (this.quiet !== null) this.marks.addQuiet(this.quiet, piece);
    if (this.quiet !== 'script' && this.quiet !== 'style') this.items?.text(piece);
    if (this.details !== null && this.quiet !== 'script' && this.quiet !== 'style') this.details.text(piece);
    if (this.inTitle) {
      if (!this.hasTitle) this.title.add(piece);
    } else if (this.quiet === null && !this.inReading) {
      const shown = this.note.add(piece);
      if (shown !== '') this.text.add(shown);
    }
    if (this.contexts !== null && !this.inTitle && (this.quiet === null || speakingElements.has(this.quiet)))
      this.contexts.add(piece);
  }

  /** Prices and the like stand in hidden elements, and links there have words. */
  private addHidden(piece: string): void {
    if (this.quiet === null) {
      this.hidden.text(piece);
      this.items?.text(piece);
      this.contexts?.add(piece);
      this.details?.text(piece);
    } else if (this.quiet === 'script') this.marks.addQuiet(this.quiet, piece);
  }

  private opened(name: string): void {
    const isPicture = this.hidden.isFresh;
    this.hidden.opened(name, this.open);
    if (this.foreign > 0) this.openedForeign(name);
    if (name === 'svg' || name === 'math') this.foreign++;
    if (name === 'math') this.beginFormula(isPicture);
    if (this.foreign === 0) this.openedInText(name);
    if (name === 'title') this.beginTitle();
    if (this.foreign === 0 && blockElements.has(name)) {
      this.breakBlock();
      // What a container is called is noted with it.
      if (name !== 'br') this.blocks.begin(name, containerIndex.has(name) ? 0 : this.told, this.text.length);
    }
    if (this.readsAttributes) this.readAttributes(name);
    if ((this.told & hints.mount) !== 0 || name === 'app-root') this.marks.hasMount = true;
    if (mediaElements.has(name)) this.marks.media++;
    if (this.inert === 0 && this.foreign === 0) this.readMark(name);
    const container = containerIndex.get(name);
    if (container !== undefined) {
      this.open[container] = (this.open[container] ?? 0) + 1;
      this.blocks.open(container, this.told, this.sign);
    }
    if (this.quiet === null) {
      if (quietElements.has(name) && !(name === 'noscript' && this.shows === 'hidden-and-noscript'))
        this.beginQuiet(name);
    } else if (this.quiet === name && nestingElements.has(name)) {
      this.quietDepth++;
    }
  }

  private openedForeign(name: string): void {
    if (breakoutElements.has(name)) {
      this.endFormula();
      this.foreign = 0;
      this.svgText = 0;
    } else if (this.formula !== null) this.formula.opened(name, this.attributes.get('encoding'));
    else if (name === 'text') {
      this.svgText++;
      this.breakBlock();
    } else if (name === 'title' || name === 'desc') this.inReading = this.svgText > 0;
    else if (name === 'tspan' && this.svgText > 0 && this.movesOn()) this.text.add(' ');
  }

  /** Lines of a label are placed one by one. */
  private movesOn(): boolean {
    return this.attributes.has('x') || this.attributes.has('dy');
  }

  /** What lies within words, and headings of parts. */
  private openedInText(name: string): void {
    if (this.inReading && (name === 'rb' || blockElements.has(name))) this.inReading = false;
    switch (textRoles.get(name)) {
      case 'reading':
        this.inReading = true;
        break;
      case 'raised':
        this.note.beginRaised(this.text.length);
        break;
      case 'heading':
        this.heading = { name, from: this.text.length };
        break;
      case 'body':
        this.heading = null;
        break;
      case undefined:
    }
  }

  /**
   * Is the button that was read a heading: of an accordion, or of what it opens? Buttons of menus and the like are not,
   * and neither are those behind the words of a heading.
   */
  private isPartHeading(): boolean {
    if (this.heading !== null) return this.heading.from === this.text.length;
    const { attributes } = this;
    const names = ['class', 'id', 'aria-controls'].map((name) => attributes.get(name) ?? '').join(' ');
    if (/accordion|faq|question/i.test(names)) return true;
    if (!attributes.has('aria-expanded') || attributes.has('aria-haspopup')) return false;
    return (this.open[headerIndex] ?? 0) === 0 && !/nav|menu|search|lang|share|toc|cookie/i.test(names);
  }

  /** @param isPicture it is all of a hidden part: pages have it beside a picture of it */
  private beginFormula(isPicture: boolean): void {
    if (this.formula !== null || this.inert > 0 || this.quiet !== null || this.inTitle) return;
    if (this.isHidden && !isPicture) return;
    const { attributes } = this;
    const isDisplay = attributes.get('display') === 'block' || attributes.get('mode') === 'display';
    this.formula = new FormulaReader(isDisplay, attributes.get('alttext'));
  }

  private endFormula(): void {
    const { formula } = this;
    if (formula === null) return;
    this.formula = null;
    this.text.leftOut += formula.leftOut;
    this.showFormula(formula.finish());
  }

  private showFormula(formula: Formula | null): void {
    if (formula === null) return;
    this.text.add(formula.tex);
    this.items?.text(formula.tex);
    this.contexts?.add(formula.tex);
    this.details?.text(formula.tex);
    this.formulaEnd = this.text.length;
    this.onFormula?.(formula);
  }

  private readMark(name: string): void {
    const { told } = this;
    this.marks.inside(name);
    if ((told & (hints.dated | hints.author)) === 0 && !markElements.has(name)) return;
    this.marks.mark(name, told, this.readsAttributes ? this.attributes : null, this.quiet);
  }

  private breakBlock(): void {
    this.endNote('block');
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
    if (this.foreign > 0) this.closedForeign(name);
    else if (name === 'script') this.endFormula();
    this.closedInText(name);
    if (name === 'title') this.inTitle = false;
    if (name === 'template' && this.inert > 0) this.inert--;
    if (this.foreign === 0 && blockElements.has(name)) {
      this.breakBlock();
      if (name !== 'br') this.blocks.end(name, this.text.length);
    }
    if (name === 'a') {
      this.contexts?.end();
      this.details?.endLink(this.text.length);
      this.blocks.endLink(this.text.length);
    }
    this.hidden.closed(name);
    this.marks.closed(name);
    this.items?.closed(name);
    const container = containerIndex.get(name);
    if (container !== undefined) this.closeContainer(container);
    if (this.quiet === name && --this.quietDepth === 0) this.quiet = null;
  }

  private closedForeign(name: string): void {
    if (name === 'math') this.endFormula();
    else this.formula?.closed(name);
    if (name === 'title' || name === 'desc') this.inReading = false;
    if (name === 'text' && this.svgText > 0) {
      this.svgText--;
      this.breakBlock();
    }
    if (name !== 'svg' && name !== 'math') return;
    this.foreign--;
    if (this.foreign === 0) this.svgText = 0;
  }

  private closedInText(name: string): void {
    if (this.inReading && (name === 'ruby' || textRoles.get(name) === 'reading')) this.inReading = false;
    if (this.heading?.name === name) this.heading = null;
    if (name === 'sup' || name === 'a') this.endNote(name);
    else if (name === 'button' && this.quiet === null) this.breakBlock();
  }

  private endNote(name: 'a' | 'sup' | 'block'): void {
    const sign = this.note.end(name);
    if (sign !== '') this.text.add(sign);
  }

  private closeContainer(container: number): void {
    const open = this.open[container] ?? 0;
    if (open === 0) return;
    this.open[container] = open - 1;
    this.blocks.close(container);
    this.hidden.left(container, open - 1);
    this.heading = null;
    if (open - 1 < (this.openBeforeQuiet[container] ?? 0)) this.quiet = null;
  }

  private readAttributes(name: string): void {
    const { attributes } = this;
    // A declarative shadow root is part of the page, unless it lies in a template itself.
    if (name === 'template' && (this.inert > 0 || !attributes.has('shadowrootmode'))) this.inert++;
    if (this.inert > 0) return;
    if (this.foreign === 0) {
      this.marks.opened(name, attributes);
      this.items?.opened(name, attributes);
    }
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
        this.readLink(attributes, relations(attributes.get('rel')));
        break;
      case 'a':
      case 'area':
        if (name === 'a')
          this.blocks.beginLink(this.text.length, attributes.get('href')?.startsWith('#') === true);
        if (attributes.has('aria-controls')) this.readPart();
        this.rights.link(attributes.get('rel'), attributes.get('href'));
        if (name === 'a') this.note.beginLink(attributes, this.text.length);
        if (name === 'a')
          this.details?.link(attributes, this.isHidden ? 'hidden' : this.quiet, this.text.length);
        // In SVG xlink:href is a link where there is no href (SVG 2 §16.1).
        this.addLink(
          attributes.get('href') ?? (this.foreign > 0 ? attributes.get('xlink:href') : undefined),
          attributes.get('rel'),
        );
        break;
      case 'iframe':
      case 'frame':
        this.addLink(attributes.get('src'), undefined);
        if (name === 'iframe') this.readInner(attributes.get('srcdoc'));
        break;
      case 'img':
        this.details?.image(attributes);
        this.readImage(attributes);
        break;
      case 'script':
        this.readScript(attributes.get('type') ?? '');
        break;
      case 'button':
        this.readButton();
    }
    if (pictureElements.has(name)) this.addPicture(attributes.get('src'));
  }

  /** Its words are text if it is a heading; else it is quiet, as other controls are. */
  private readButton(): void {
    if (this.quiet !== null) return;
    if (!this.isPartHeading()) this.beginQuiet('button');
    else {
      this.readPart();
      if (this.heading === null) this.breakBlock();
    }
  }

  /** What a button or a tab opens is no hidden part. */
  private readPart(): void {
    const opened = this.attributes.get('aria-controls');
    if (opened !== undefined && this.isPartHeading()) this.hidden.opens(opened);
  }

  /** Blogs show formulas as images that say them. */
  private readImage(attributes: ReadonlyMap<string, string>): void {
    if (!formulaImage.test(attributes.get('class') ?? '')) return;
    if (this.isSilent || this.hidesElement) return;
    this.showFormula({ tex: plainTex(attributes.get('alt') ?? ''), isDisplay: false });
  }

  /** The source of a formula. Where MathJax has written it into the page already, the script follows what was read. */
  private readScript(type: string): void {
    if (!/^\s*math\/tex/i.test(type) || this.isSilent || this.formulaEnd === this.text.length) return;
    this.formula = new FormulaReader(/mode\s*=\s*display/i.test(type));
    this.formula.opened('annotation', 'tex');
  }

  /** The links of a page that stands in an attribute (`srcdoc`), which has the base of this page. */
  private readInner(source: string | undefined): void {
    if (source === undefined || this.isInner) return;
    const inner = new PageReader(source, false, this.agentTokens, {
      followed: this.followed,
      links: this.links,
    });
    inner.read();
  }

  private readMeta(content: string): void {
    const { attributes } = this;
    for (const name of namesOf(attributes)) {
      this.meta.meta(name, content);
      this.rights.meta(name, content);
      if (name === 'robots' || this.agentTokens.includes(name))
        this.directives = combine(this.directives, parseDirectives(content));
    }
    const pragma = attributes.get('http-equiv')?.trim().toLowerCase() ?? '';
    if (pragma === 'refresh') this.addLink(refreshTarget(content), undefined);
    // HTML standard section 4.2.5.3: the language of a page whose <html> declares none.
    else if (pragma === 'content-language') this.meta.meta(pragma, content);
  }

  private readLink(attributes: ReadonlyMap<string, string>, relation: readonly string[]): void {
    const href = attributes.get('href');
    this.meta.link(relation, attributes);
    this.rights.link(attributes.get('rel'), href);
    if (relation.includes('canonical')) this.canonicalHref ??= href ?? null;
    const isVersion = relation.includes('alternate') && attributes.has('hreflang');
    if (isVersion) this.details?.version(attributes);
    if (isVersion || relation.includes('next') || relation.includes('prev')) this.addLink(href, undefined);
  }

  private addPicture(src: string | undefined): void {
    if (src === undefined || this.pictures.length >= MOST_PICTURES) return;
    if (src.length <= LONGEST_ADDRESS && !/^\s*data:/i.test(src)) this.pictures.push(src);
  }

  private addLink(href: string | undefined, rel: string | undefined): void {
    if (href === undefined) return;
    this.links.add(href, !isBarred(rel, this.followed));
    if (this.tag === 'a') this.contexts?.begin(href);
  }
}

/**
 * Names of a <meta>, lower-case. Pages write them into whichever attribute, and several at once:
 * `name="description" property="og:description"`.
 */
function namesOf(attributes: ReadonlyMap<string, string>): Iterable<string> {
  const properties = attributes.get('property')?.split(/\s+/, mostMetaNames) ?? [];
  const names = new Set<string>();
  for (const written of [attributes.get('name'), ...properties, attributes.get('itemprop')]) {
    const name = written?.trim().toLowerCase() ?? '';
    if (name !== '') names.add(name);
  }
  return names;
}

/** A page, read whole. Where it says hardly anything but in hidden parts, these are read as well. */
export function readVisible(
  source: string,
  xhtml: boolean,
  agentTokens: readonly string[] = [],
  asked: Asked = {},
): PageReader {
  const page = new PageReader(source, xhtml, agentTokens, asked);
  page.read();
  const shows = page.hidesItsText;
  if (shows === null) return page;
  const whole = new PageReader(source, xhtml, agentTokens, { ...asked, shows });
  whole.read();
  return whole;
}

/** The first of an element's classes. */
function firstWord(classes: string): string {
  const name = classes.trim();
  const end = name.search(/\s/);
  return end < 0 ? name : name.slice(0, end);
}
