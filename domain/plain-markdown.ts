/**
 * Text of others as Markdown that shows that text and nothing else: no link, picture, heading, list, code or HTML can be
 * made by it. Characters become numeric entities, which no renderer takes for structure: backslashes are not read alike
 * by all of them, and the one in Temporal Web lets HTML through.
 */

/** Code points shown of a text at most. */
const most = 300;

/** Controls, line ends, marks of direction, halves of surrogate pairs, and blanks of all kinds. */
const blank = /[\p{C}\p{Z}]+/gu;
/** What means something anywhere, at the beginning of a line, or in an address. */
const special = /[!#$&*+<=>@[\\\]^_`{|}~]|^\d*[.)]|^[-:]|:(?! )/g;

export function plainMarkdown(text: string): string {
  const points = Array.from(text.replace(blank, ' ').trim());
  const shown = points.length > most ? `${points.slice(0, most - 1).join('')}…` : points.join('');
  return shown.replace(special, (found) =>
    found.replace(/\D/g, (char) => `&#${String(char.charCodeAt(0))};`),
  );
}
