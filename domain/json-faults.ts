/** Faults that JSON.parse lets pass (RFC 7493): names given twice, nesting too deep, too many names or parts. */

/** Most arrays and objects nested in one another. */
export const maxJsonDepth = 64;
/** Most names in one object: far more than any request here has, and few enough to compare. */
export const maxJsonNames = 1_000;

/**
 * Most arrays and objects in all, which take some hundred bytes of memory for the two that they have in a text: far more
 * than any request here has.
 */
export const maxJsonParts = 100_000;

const quote = 0x22;
const backslash = 0x5c;

/**
 * The first fault of a text, as a sentence; null: no fault. Null is also possible for a text that is not valid JSON.
 * Time is linear in the length of the text; memory is bounded by the names of the objects open at any one place.
 */
export function jsonFault(text: string): string | null {
  /** Objects and arrays that are open, outermost first: the names of an object so far; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isNameNext = false;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        const names = open.at(-1);
        if (isNameNext && names !== undefined && names !== null) {
          const name = text.slice(at, end + 1);
          const read = name.includes('\\') ? unescaped(name) : name;
          if (names.has(read)) return `The name ${name.slice(0, 100)} is given twice in one object.`;
          names.add(read);
          if (names.size > maxJsonNames) return `An object has more than ${String(maxJsonNames)} names.`;
          isNameNext = false;
        }
        at = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: {
        // [
        const isObject = text.charCodeAt(at) === 0x7b;
        open.push(isObject ? new Set() : null);
        isNameNext = isObject;
        if (++parts > maxJsonParts)
          return `The body has more than ${String(maxJsonParts)} arrays and objects.`;
        if (open.length > maxJsonDepth)
          return `Arrays and objects are nested deeper than ${String(maxJsonDepth)}.`;
        break;
      }
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        isNameNext = false;
        break;
      case 0x2c: // ,
        isNameNext = (open.at(-1) ?? null) !== null;
        break;
    }
  }
  return null;
}

/** Index of the quote that ends a string, or the text's length if none does. @param start index of its opening quote */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** One spelling for all spellings of a name. */
function unescaped(name: string): string {
  try {
    return JSON.stringify(JSON.parse(name));
  } catch {
    // Not valid JSON: whoever parses the whole text reports that.
    return name;
  }
}
