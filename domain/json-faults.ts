/** What JSON.parse lets pass, and a careful reader does not (RFC 7493): names given twice, nesting and names without end. */

/** Arrays and objects within one another at most. */
export const maxJsonDepth = 64;
/** Names of one object at most: far more than anything here has, and few enough to be compared. */
export const maxJsonNames = 1_000;

const quote = 0x22;
const backslash = 0x5c;

/**
 * The first fault of a text as a sentence; null: none. Of a text that is no JSON it may also find none.
 * Linear in its length; what it holds is bounded by the names of the objects that are open at one place.
 */
export function jsonFault(text: string): string | null {
  /** Of what is open: the names of an object so far; null: an array. */
  const open: (Set<string> | null)[] = [];
  let isNameNext = false;
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

/** @param start of the quote that begins it. The place of the one that ends it; where there is none, the text's end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** So that two spellings of one name are the same. */
function unescaped(name: string): string {
  try {
    return JSON.stringify(JSON.parse(name));
  } catch {
    // No JSON; whoever parses all of it says so.
    return name;
  }
}
