/** What the names of elements mean to the reader. */

/**
 * Their text is no part of what the page says: code, navigation, asides, form controls, fallbacks. So is that of <button>,
 * unless it is a heading (content/text-roles.ts).
 */
export const quietElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'noembed',
  'noframes',
  'iframe',
  'object',
  'canvas',
  'audio',
  'video',
  'nav',
  'aside',
  'footer',
  'select',
  'datalist',
  'textarea',
]);

/** They show something without a word. */
export const mediaElements: ReadonlySet<string> = new Set([
  'img',
  'picture',
  'video',
  'audio',
  'iframe',
  'frame',
  'object',
  'embed',
  'svg',
]);

/** Quiet elements whose links speak. */
export const speakingElements: ReadonlySet<string> = new Set(['nav', 'aside', 'footer']);

/** Quiet elements that may hold one of their own kind. */
export const nestingElements: ReadonlySet<string> = new Set(['nav', 'aside', 'footer', 'object', 'noscript']);

/**
 * Elements whose end closes whatever was left open inside, and which always have an end tag themselves: by counting
 * them, a quiet element that is never closed ends with its parent, as it does in a browser.
 */
export const containerElements = [
  'html',
  'body',
  'main',
  'div',
  'section',
  'article',
  'header',
  'form',
  'table',
  'ul',
  'ol',
  'dl',
  'blockquote',
] as const;

/** They start and end a block of text. */
export const blockElements: ReadonlySet<string> = new Set([
  ...containerElements,
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hgroup',
  'li',
  'dt',
  'dd',
  'br',
  'hr',
  'pre',
  'figure',
  'figcaption',
  'address',
  'details',
  'summary',
  'fieldset',
  'legend',
  'option',
  'caption',
  'thead',
  'tbody',
  'tfoot',
  'tr',
  'td',
  'th',
  'nav',
  'aside',
  'footer',
  'title',
  'center',
  'dialog',
  'menu',
  'search',
  'xmp',
  'plaintext',
]);

/** They have no end tag (HTML standard section 13.1.2). */
export const voidElements: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);

/** HTML elements that end an unclosed <svg> or <math> (HTML standard section 13.2.6.5); the common ones of the list. */
export const breakoutElements: ReadonlySet<string> = new Set([
  'blockquote',
  'body',
  'br',
  'center',
  'dd',
  'div',
  'dl',
  'dt',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'head',
  'hr',
  'img',
  'li',
  'menu',
  'meta',
  'ol',
  'p',
  'pre',
  'span',
  'table',
  'ul',
]);

/** Elements that show what lies at their `src`. */
export const pictureElements: ReadonlySet<string> = new Set(['img', 'video', 'audio', 'source', 'embed']);

/** Elements whose attributes say something: addresses, descriptions, language. */
export const readElements: ReadonlySet<string> = new Set([
  'html',
  'base',
  'meta',
  'link',
  'a',
  'area',
  'iframe',
  'frame',
  'template',
  'time',
  'script',
  'input',
  'button',
  'math',
  'annotation',
  'tspan',
]);
