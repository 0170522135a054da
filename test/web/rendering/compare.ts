/** What a body says beside what is known to be true, and the DOM of one browser beside that of another. */
import { parseDocument } from 'htmlparser2';
import { createExtractor } from '../../../content/extract.ts';
import type { RenderingPage } from './server.ts';

const extractor = await createExtractor();

const read = (url: string, body: Uint8Array) =>
  extractor.extract({
    body,
    url,
    contentType: 'text/html; charset=utf-8',
    xRobotsTag: null,
    agentTokens: [],
    maxLinks: 100,
  });

/** As people read it. */
export const textOf = (url: string, html: string): string => folded(read(url, Buffer.from(html)).text);

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** What differs, in words; null: the body says what is true. */
export function differs({ url, truth }: RenderingPage, body: Uint8Array): string | null {
  const { text, links, title, canonical, meta } = read(url, body);
  const wanted = truth.links.map((link) => new URL(link, url).href);
  const told = {
    text: [folded(text), folded(truth.text)],
    links: [links.toSorted().join(' '), wanted.toSorted().join(' ')],
    ...(truth.title !== undefined && { title: [title, truth.title] }),
    ...(truth.canonical !== undefined && { canonical: [canonical, new URL(truth.canonical, url).href] }),
    ...(truth.schema !== undefined && {
      schema: [(meta.schema ?? []).map((item) => String(item['@type'])).join(' '), truth.schema],
    }),
  };
  const wrong = Object.entries(told).filter(([, [found, expected]]) => found !== expected);
  return wrong.length === 0
    ? null
    : wrong.map(([what, [found, expected]]) => `${what}: ${String(found)} ≠ ${String(expected)}`).join('; ');
}

/** A DOM without white space between elements, the order of attributes, and a base that tells where the page is. */
export const normalDom = (html: string): string => parseDocument(html).children.map(normalNode).join('');

type Node = ReturnType<typeof parseDocument>['children'][number];

function normalNode(node: Node): string {
  if ('data' in node) return folded(node.data);
  const inside = node.children.map(normalNode).join('');
  if (!('attribs' in node)) return inside;
  if (node.name === 'base') return '';
  const attributes = Object.entries(node.attribs).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `<${node.name}${attributes.map(([name, value]) => ` ${name}="${value}"`).join('')}>${inside}</>`;
}
