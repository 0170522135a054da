/**
 * One pass over a page, on the tokenizer alone: no tree is built and no stack of open elements is kept, so nesting
 * costs nothing (100,000 open tags read as fast as 100,000 closed ones) and nothing has to be cut for depth. Counts of
 * open elements stand in for a tree:
 *
 * containers by their kind, <svg> and <math>, <template>, the outermost element whose text is left out, and the
 * outermost that people do not see (`page-text.ts`). Other readers are given the tags and the pieces of text, and each
 * gathers what it looks for.
 */
import { Blocks } from './blocks.ts';
import {
  blockElements,
  containerElements,
  mediaElements,
  pictureElements,
  quietElements,
} from './elements.ts';
import { FoldedText } from './folded-text.ts';
import { hints } from './hints.ts';
import { hasItems, ItemReader } from './item-reader.ts';
import { isBarred } from './link-attributes.ts';
import { LinkContexts } from './link-context.ts';
import { LinkCollector } from './links.ts';
import { type Evidence, evidenceOf } from './main-part.ts';
import { PageHead } from './page-head.ts';
import { type Asked, PageDetails } from './page-details.ts';
import { PageMarks } from './page-marks.ts';
import { PageText } from './page-text.ts';
import { PageTokens } from './page-tokens.ts';
import type { SchemaItem } from './schema-items.ts';

/** Characters of text and title kept. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_TITLE = 1_000;
const MOST_PICTURES = 100;
const LONGEST_ADDRESS = 1_000;

/** Elements that may be marks, whatever they are named. */
const markElements: ReadonlySet<string> = new Set(['time', 'a', 'abbr']);

const containerIndex = new Map<string, number>(containerElements.map((name, index) => [name, index]));
const headerIndex = containerElements.indexOf('header');

type Attributes = ReadonlyMap<string, string>;

export class PageReader extends PageTokens {
  readonly head: PageHead;
  readonly title = new FoldedText(LONGEST_TITLE);
  readonly text = new FoldedText(LONGEST_TEXT);
  readonly blocks = new Blocks();
  readonly links: LinkCollector;
  /** Addresses of pictures, films and the like, as the page has them: the first `MOST_PICTURES` that are no data: URLs. */
  readonly pictures: string[] = [];
  readonly marks: PageMarks;
  /** Null: the page has no microdata and no RDFa. */
  readonly items: ItemReader | null;
  /** Null: nobody looks at the page. */
  readonly details: PageDetails | null;
  /** Null: nobody asks what links say. */
  readonly contexts: LinkContexts | null;
  readonly #agentTokens: readonly string[];
  readonly #asked: Asked;
  readonly #flow: PageText;
  /** Open containers by kind. */
  readonly #open = new Int32Array(containerElements.length);

  /**
   * @param xhtml self-closing tags close and CDATA is text
   * @param agentTokens whose <meta> directives count as ours
   * @param asked what else is gathered: what links say; what is shown of a page
   */
  constructor(source: string, xhtml: boolean, agentTokens: readonly string[], asked: Asked = {}) {
    super(source, xhtml);
    this.#agentTokens = agentTokens;
    this.#asked = asked;
    this.contexts = asked.contexts === true ? new LinkContexts() : null;
    this.details = asked.details === true ? new PageDetails() : null;
    this.links = asked.links ?? new LinkCollector();
    this.items = hasItems(source) ? new ItemReader(source) : null;
    this.head = new PageHead(agentTokens);
    this.marks = new PageMarks(this.text, this.head.meta, this.blocks);
    this.#flow = new PageText(this, this.hidden, asked);
  }

  /** By which the main text is known. To be asked when the page was read. */
  evidence(items: readonly SchemaItem[]): Evidence {
    return evidenceOf(this.title.raw, this.head.meta.description?.text ?? '', items);
  }

  /** Text here is no part of what the page shows. */
  get isSilent(): boolean {
    return this.#flow.isSilent;
  }

  /** Does the tag that was read last hide its element? */
  get hidesElement(): boolean {
    return this.#flow.hides(this.tag.name);
  }

  get hidesItsText(): Asked['shows'] | null {
    return this.#flow.hidesItsText;
  }

  isInForeignContext(): boolean {
    return this.#flow.foreign.isOpen;
  }

  protected asksFor(name: string): boolean {
    return this.items !== null || this.marks.reads(name) || this.#asked.attributed?.has(name) === true;
  }

  protected addText(piece: string): void {
    this.#flow.add(piece);
  }

  protected ended(): void {
    this.blocks.end('', this.text.length);
  }

  protected opened(name: string): void {
    const flow = this.#flow;
    const { attributes, hints: told, sign, hasAttributes } = this.tag;
    const isPicture = this.hidden.isFresh;
    this.hidden.opened(name, this.#open);
    flow.opened(name, attributes, isPicture);
    const isForeign = flow.foreign.isOpen;
    if (!isForeign && blockElements.has(name)) {
      flow.breakBlock();
      // What a container is called is noted with it.
      if (name !== 'br') this.blocks.begin(name, containerIndex.has(name) ? 0 : told, this.text.length);
    }
    if (hasAttributes) this.#readAttributes(name, attributes);
    if ((told & hints.mount) !== 0 || name === 'app-root') this.marks.hasMount = true;
    if (mediaElements.has(name)) this.marks.media++;
    if (flow.inert === 0 && !isForeign) this.#readMark(name);
    const container = containerIndex.get(name);
    if (container !== undefined) {
      this.#open[container] = (this.#open[container] ?? 0) + 1;
      this.blocks.open(container, told, sign);
    }
    if (flow.quiet.name !== null) flow.quiet.opened(name);
    else if (quietElements.has(name) && !flow.showsFallback(name)) flow.quiet.begin(name, this.#open);
  }

  #readMark(name: string): void {
    const { attributes, hints: told, hasAttributes } = this.tag;
    this.marks.inside(name);
    if ((told & (hints.dated | hints.author)) === 0 && !markElements.has(name)) return;
    this.marks.mark(name, told, hasAttributes ? attributes : null, this.#flow.quiet.name);
  }

  protected closed(name: string): void {
    const flow = this.#flow;
    flow.closed(name);
    if (!flow.foreign.isOpen && blockElements.has(name)) {
      flow.breakBlock();
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
    if (container !== undefined) this.#closeContainer(container);
    flow.quiet.closed(name);
  }

  #closeContainer(container: number): void {
    const open = (this.#open[container] ?? 0) - 1;
    if (open < 0) return;
    this.#open[container] = open;
    this.blocks.close(container);
    this.hidden.left(container, open);
    this.#flow.roles.left();
    this.#flow.quiet.left(container, open);
  }

  #readAttributes(name: string, attributes: Attributes): void {
    const flow = this.#flow;
    // A declarative shadow root is part of the page, unless it lies in a template itself.
    if (name === 'template' && (flow.inert > 0 || !attributes.has('shadowrootmode'))) flow.inert++;
    if (flow.inert > 0) return;
    if (!flow.foreign.isOpen) {
      this.marks.opened(name, attributes);
      this.items?.opened(name, attributes);
    }
    switch (name) {
      case 'html':
        this.head.readHtml(attributes);
        break;
      case 'base':
        this.head.readBase(attributes);
        break;
      case 'meta':
        this.#addLink(this.head.readMeta(attributes), undefined);
        break;
      case 'link':
        this.#readLink(attributes);
        break;
      case 'a':
        this.#beginAnchor(attributes);
        this.#readAnchor(attributes);
        break;
      case 'area':
        this.#readAnchor(attributes);
        break;
      case 'iframe':
        this.#addLink(attributes.get('src'), undefined);
        this.#readInner(attributes.get('srcdoc'));
        break;
      case 'frame':
        this.#addLink(attributes.get('src'), undefined);
        break;
      case 'img':
        this.details?.image(attributes);
        if (!this.isSilent && !this.hidesElement) flow.foreign.image(attributes);
        break;
      case 'script':
        if (!this.isSilent) flow.foreign.beginScript(attributes);
        break;
      case 'button':
        this.#readButton();
    }
    if (pictureElements.has(name)) this.#addPicture(attributes.get('src'));
  }

  #readLink(attributes: Attributes): void {
    const leadsTo = this.head.readLink(attributes);
    if (leadsTo === 'version') this.details?.version(attributes);
    if (leadsTo !== null) this.#addLink(attributes.get('href'), undefined);
  }

  #beginAnchor(attributes: Attributes): void {
    const at = this.text.length;
    this.blocks.beginLink(at, attributes.get('href')?.startsWith('#') === true);
    this.#flow.roles.note.beginLink(attributes, at);
    this.details?.link(attributes, this.#flow.isHidden ? 'hidden' : this.#flow.quiet.name, at);
  }

  #readAnchor(attributes: Attributes): void {
    if (attributes.has('aria-controls')) this.#readPart();
    this.head.rights.link(attributes.get('rel'), attributes.get('href'));
    // In SVG xlink:href is a link where there is no href (SVG 2 §16.1).
    const href =
      attributes.get('href') ?? (this.#flow.foreign.isOpen ? attributes.get('xlink:href') : undefined);
    this.#addLink(href, attributes.get('rel'));
  }

  #addLink(href: string | undefined, rel: string | undefined): void {
    if (href === undefined) return;
    this.links.add(href, !isBarred(rel, this.#asked.followed));
    if (this.tag.name === 'a') this.contexts?.begin(href);
  }

  #addPicture(src: string | undefined): void {
    if (src === undefined || this.pictures.length >= MOST_PICTURES) return;
    if (src.length <= LONGEST_ADDRESS && !/^\s*data:/i.test(src)) this.pictures.push(src);
  }

  /** The words of a button are text if it is a heading; else it is quiet, as other controls are. */
  #readButton(): void {
    if (this.#flow.quiet.name !== null) return;
    if (!this.#isPartHeading()) this.#flow.quiet.begin('button', this.#open);
    else {
      this.#readPart();
      if (!this.#flow.roles.inHeading) this.#flow.breakBlock();
    }
  }

  /** What a button or a tab opens is no hidden part. */
  #readPart(): void {
    const opened = this.tag.attributes.get('aria-controls');
    if (opened !== undefined && this.#isPartHeading()) this.hidden.opens(opened);
  }

  #isPartHeading(): boolean {
    const inHeader = (this.#open[headerIndex] ?? 0) > 0;
    return this.#flow.roles.isPartHeading(this.tag.attributes, this.text.length, inHeader);
  }

  /** The links of a page that stands in an attribute (`srcdoc`), which has the base of this page. */
  #readInner(source: string | undefined): void {
    if (source === undefined || this.#asked.links !== undefined) return;
    const { followed } = this.#asked;
    new PageReader(source, false, this.#agentTokens, { followed, links: this.links }).read();
  }
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
