/**
 * Turns text of strangers into Markdown that shows this text and nothing else: it can make no link, picture, heading,
 * list, code or HTML. Special characters become numeric entities, which no renderer takes for structure. Backslashes
 * would not do: renderers read them differently, and the renderer of Temporal Web lets HTML through.
 */

/** Most code points of a text that are shown. */
const most = 300;

/** Controls, line ends, marks of direction, halves of surrogate pairs, and blanks of all kinds. */
const blank = /[\p{C}\p{Z}]+/gu;
/** Characters with a meaning in Markdown: anywhere, at the beginning of a line, or in an address. */
const special = /[!#$&*+<=>@[\\\]^_`{|}~]|^\d*[.)]|^[-:]|:(?! )/g;

export function plainMarkdown(text: string): string {
  const points = Array.from(text.replace(blank, ' ').trim());
  const shown = points.length > most ? `${points.slice(0, most - 1).join('')}…` : points.join('');
  return shown.replace(special, (found) =>
    found.replace(/\D/g, (char) => `&#${String(char.charCodeAt(0))};`),
  );
}
