/**
 * The DOM as text. It is read in a world of its own, whose functions no script of the page has changed, after the time
 * of the page has run out.
 */
import type { Protocol } from 'devtools-protocol';
import { getDomain } from 'tldts';
import { CommandRefused } from './devtools.ts';
import type { Session } from './devtools.ts';

const maxFrames = 20;
const worldName = 'snapshot';

/**
 * Shadow trees in the declarative form. A page that has changed its own address by history.pushState says against
 * which its links are, if it has not said so itself.
 */
const documentText = `((address, limit) => {
  const roots = [];
  const walk = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node.shadowRoot) { roots.push(node.shadowRoot); walk(node.shadowRoot); }
  };
  walk(document);
  if (document.baseURI.split('#')[0] !== address && document.head && !document.querySelector('base[href]')) {
    const base = document.createElement('base');
    base.href = document.baseURI;
    document.head.prepend(base);
  }
  const top = document.documentElement;
  if (!top) return '';
  const shell = top.cloneNode(false).outerHTML;
  const end = shell.lastIndexOf('</');
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  const inner = top.getHTML({ serializableShadowRoots: true, shadowRoots: roots });
  return (type + shell.slice(0, end) + inner + shell.slice(end)).slice(0, limit);
})`;

/** What a frame shows, with links that lead to the same places from the page around it. */
const frameText = `((limit) => {
  for (const link of document.querySelectorAll('a[href]')) link.setAttribute('href', link.href);
  return document.body ? document.body.getHTML({ serializableShadowRoots: true }).slice(0, limit) : '';
})`;

const placeFrame = `function (url, html) {
  const place = this.ownerDocument.createElement('div');
  place.setAttribute('data-frame', url);
  place.innerHTML = html;
  this.after(place);
}`;

interface Frame {
  readonly id: string;
  readonly parentId: string;
  readonly url: string;
}

/** Those within the page, the innermost last. */
const framesWithin = (tree: Protocol.Page.FrameTree): Frame[] =>
  (tree.childFrames ?? [])
    .map((child) => ({ id: child.frame.id, parentId: tree.frame.id, url: child.frame.url }))
    .concat((tree.childFrames ?? []).flatMap(framesWithin));

/** Whether the text of a frame belongs to the page: of its own site, or without an address of its own. */
const isOfSite = (site: string | null, url: string): boolean =>
  /^(about:|blob:)/.test(url) || (site !== null && siteOf(url) === site);

const siteOf = (url: string): string | null => getDomain(url) ?? URL.parse(url)?.hostname ?? null;

/**
 * At most so many characters of the page with its frames, and how many frames are not among them: those after the first
 * twenty.
 */
export async function snapshot(
  session: Session,
  url: string,
  limit: number,
): Promise<{ readonly text: string; readonly frames: number }> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const worlds = new Map<string, number>();
  const worldOf = async (frameId: string): Promise<number> => {
    const known = worlds.get(frameId);
    if (known !== undefined) return known;
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName });
    worlds.set(frameId, executionContextId);
    return executionContextId;
  };
  const textOf = async (frameId: string, expression: string): Promise<string> => {
    const contextId = await worldOf(frameId);
    const { result } = await session.send('Runtime.evaluate', { expression, contextId, returnByValue: true });
    return typeof result.value === 'string' ? result.value : '';
  };
  const site = siteOf(url);
  const all = framesWithin(frameTree).filter((frame) => isOfSite(site, frame.url));
  const frames = all.slice(0, maxFrames);
  if (frames.length > 0) await session.send('DOM.enable', {});
  const place = async (frame: Frame): Promise<void> => {
    const html = await textOf(frame.id, `${frameText}(${String(limit)})`);
    if (html === '') return;
    const { backendNodeId } = await session.send('DOM.getFrameOwner', { frameId: frame.id });
    const { object } = await session.send('DOM.resolveNode', {
      backendNodeId,
      executionContextId: await worldOf(frame.parentId),
    });
    if (object.objectId === undefined) return;
    await session.send('Runtime.callFunctionOn', {
      objectId: object.objectId,
      functionDeclaration: placeFrame,
      arguments: [{ value: frame.url }, { value: html }],
    });
  };
  // Frames within frames first, so that a frame's text has theirs.
  for (const frame of frames.toReversed())
    await place(frame).catch((error: unknown) => {
      // A frame that has gone meanwhile has no text.
      if (!(error instanceof CommandRefused)) throw error;
    });
  return {
    text: await textOf(frameTree.frame.id, `${documentText}(${JSON.stringify(url)}, ${String(limit)})`),
    frames: all.length - frames.length,
  };
}
