/**
 * Where scripts end whose text has `<!-- … <script`: the inner `</script>` does not end them (HTML standard §13.2.5.20
 * to 29, script data double escaped state). htmlparser2's tokenizer ends at the first one, and takes the rest of the
 * script for text and links. Old pages with code for advertisements are written so.
 */

const comment = '<!--';
const commentEnd = '-->';

/** The source with each inner `</script` made harmless; nothing else changes, not even a length. Linear. */
export function maskInnerScripts(source: string): string {
  return hasScriptInComment(source) ? masked(source) : source;
}

/** Comments around scripts, for old versions of a browser, are such too: they are few, and masking leaves them as they are. */
function hasScriptInComment(source: string): boolean {
  for (let at = source.indexOf(comment); at !== -1; at = source.indexOf(comment, at)) {
    const end = source.indexOf(commentEnd, at);
    const inside = source.slice(at, end === -1 ? undefined : end);
    if (/<script[\s/>]/i.test(inside)) return true;
    if (end === -1) return false;
    at = end;
  }
  return false;
}

function masked(source: string): string {
  const pieces: string[] = [];
  let from = 0;
  /** `markup` and `comment` lie outside of scripts. */
  let state: 'markup' | 'comment' | 'script' | 'escaped' | 'double' = 'markup';
  for (const { 0: found, index } of source.matchAll(/<!--|-->|<\/?script(?=[\s/>])/gi)) {
    const isEnd = found.startsWith('</');
    if (found === commentEnd) state = state === 'markup' || state === 'comment' ? 'markup' : 'script';
    else if (found === comment) {
      if (state === 'markup') state = 'comment';
      else if (state === 'script') state = 'escaped';
    } else if (state === 'markup') state = isEnd ? 'markup' : 'script';
    else if (state === 'script' && isEnd) state = 'markup';
    else if (state === 'escaped') state = isEnd ? 'markup' : 'double';
    else if (state === 'double' && isEnd) {
      pieces.push(source.slice(from, index), ' ');
      from = index + 1;
      state = 'escaped';
    }
  }
  return from === 0 ? source : pieces.join('') + source.slice(from);
}
