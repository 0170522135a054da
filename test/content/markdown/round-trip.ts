/**
 * Does Markdown show what the page showed? It is rendered again, and both are told as one line each: blocks, marks,
 * addresses and words, without what does not show.
 */
import { parseDocument } from 'htmlparser2';
import MarkdownIt from 'markdown-it';
import { mdCases } from './cases.ts';

type Node = ReturnType<typeof parseDocument>['children'][number];
const isTag = (node: Node): node is Extract<Node, { attribs: unknown }> => 'attribs' in node;

export const pageUrl = 'https://example.com/dir/page.html';

const renderer = new MarkdownIt({ html: true });

/** Cases whose Markdown, made by `convert`, shows something else: the two tellings of each. */
export function differences(
  convert: (html: string) => string,
): { readonly name: string; readonly shown: string; readonly wanted: string; readonly markdown: string }[] {
  return Object.entries(mdCases).flatMap(([name, html]) => {
    const markdown = convert(html);
    const shown = shownBy(markdown);
    const wanted = tell(html);
    return shown === wanted ? [] : [{ name, shown, wanted, markdown }];
  });
}

export const shownBy = (markdown: string): string => tell(renderer.render(markdown));

/** Elements under the name that a renderer of Markdown gives them. */
const names: Readonly<Record<string, string>> = {
  ...{ b: 'strong', i: 'em', strike: 's', del: 's', kbd: 'code', samp: 'code', tt: 'code' },
};
const told: ReadonlySet<string> = new Set([
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'ul',
    'ol',
    'li',
    'blockquote',
    'pre',
    'table',
    'tr',
    'th',
    'td',
    'hr',
  ],
  ...['br', 'em', 'strong', 's', 'code', 'a', 'img', 'sub', 'sup'],
]);
const parting: ReadonlySet<string> = new Set([
  'p',
  'div',
  'section',
  'main',
  'article',
  'dt',
  'caption',
  'figure',
]);
const silent: ReadonlySet<string> = new Set(['script', 'style', 'nav', 'footer', 'template', 'head']);
/** Blocks side by side, with what stands between them. */
const parted =
  / ?(?:(?:<\/?(?:h[1-6]|ul|ol(?: start=\d+)?|li|blockquote|table|tr|th|td|hr)>|<pre[^>]*>[^<]*<\/pre>|¶) ?)+/g;

export function tell(html: string): string {
  return tellAll(parseDocument(html).children)
    .replace(/\s+/g, ' ')
    .replace(/<(strong|em|s)> /g, ' <$1>')
    .replace(/ <\/(strong|em|s)>/g, '</$1> ')
    .replace(/<br><\/(strong|em|s)>/g, '</$1><br>')
    .replaceAll(parted, (part) => part.replace(/[ ¶]/g, '') || '¶')
    .replace(/<strong><em>([^<]*)<\/em><\/strong>/g, '<em><strong>$1</strong></em>')
    .replace(/<tr>(?:<th><\/th>)+<\/tr>/g, '')
    .replace(/(?: ?<br> ?)+/g, '<br>')
    .replace(/^¶|¶$/g, '')
    .trim();
}

const tellAll = (nodes: readonly Node[]): string => nodes.map(tellNode).join('');

function tellNode(node: Node): string {
  if (node.nodeType === 3) return node.data.replaceAll('<', '‹').replaceAll('>', '›');
  if (!isTag(node) || silent.has(node.name)) return '';
  const name = names[node.name] ?? node.name;
  const inner = tellAll(node.children);
  if (name === 'table') return tellTable(node);
  if (name === 'dd') return `<ul><li>${inner}</li></ul>`;
  if (parting.has(name)) return `¶${inner}¶`;
  if (!told.has(name)) return inner;
  const { href, src, alt, start, title } = node.attribs;
  switch (name) {
    case 'a':
      return href === undefined
        ? inner
        : `<a ${absolute(href)}${title === undefined ? '' : ` "${title}"`}>${inner}</a>`;
    case 'img':
      return `<img ${absolute(src ?? '')} ${alt ?? ''}>`;
    case 'br':
    case 'hr':
      return `<${name}>`;
    case 'ol':
      return `<ol${start === undefined || start === '1' ? '' : ` start=${start}`}>${inner}</ol>`;
    case 'pre': {
      const code = node.children.find((child) => isTag(child) && child.name === 'code');
      const [, language = ''] =
        /language-(\S+)/.exec((code !== undefined && isTag(code) ? code : node).attribs['class'] ?? '') ?? [];
      const text = inner.replace(/<[^>]*>/g, '').replace(/^\n|\s+$/g, '');
      return `<pre ${language}>${text.replaceAll('\n', '⏎').replaceAll(' ', '·')}</pre>`;
    }
    default:
      return `<${name}>${inner}</${name}>`;
  }
}

/** A caption is shown above its table. */
function tellTable({ children }: { readonly children: readonly Node[] }): string {
  const [captions, rest] = [true, false].map((wanted) =>
    tellAll(children.filter((child) => (isTag(child) && child.name === 'caption') === wanted)),
  );
  return `${captions ?? ''}<table>${rest ?? ''}</table>`;
}

const absolute = (reference: string): string => decodeURI(new URL(reference, pageUrl).href);
