/**
 * The text of a page whose markup is an empty shell, out of the data that its scripts would build the page from:
 * `articleBody` of schema.org items, or the sentences in a JSON state such as `__NEXT_DATA__`.
 */
import type { SchemaItem } from './schema-items.ts';

/** A page with so many words or more is no empty shell. */
export const shellWords = 50;
/** Characters of a page's states that are read. */
export const longestStates = 2 * 1_024 * 1_024;
const deepest = 60;
/** A string with fewer characters is a label, a name, or an address. */
const leastSentence = 60;

/** Elements that hold such a state by their id. */
export const stateIds: ReadonlySet<string> = new Set([
  ...['__NEXT_DATA__', '__NUXT_DATA__', '__GATSBY_DATA__', 'ng-state', 'serverApp-state', '__APP_DATA__'],
  ...['initial-state', '__INITIAL_STATE__', 'app-state', 'preloaded-state', '__PRELOADED_STATE__'],
]);

/** Null: nothing is told there. Markup within the texts is still in them. */
export function textOfState(items: readonly SchemaItem[], states: readonly string[]): string | null {
  const bodies = items.flatMap((item) => {
    const body = item['articleBody'] ?? item['text'];
    return typeof body === 'string' && body.length >= leastSentence ? [body] : [];
  });
  if (bodies.length > 0) return bodies.join('\n\n');
  const found = new Set<string>();
  const gather = (value: unknown, depth: number): void => {
    if (depth > deepest) return;
    if (typeof value === 'string') {
      if (value.length >= leastSentence && isSentence(value)) found.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) gather(inner, depth + 1);
    }
  };
  for (const state of states) {
    try {
      gather(JSON.parse(state), 0);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return found.size === 0 ? null : [...found].join('\n\n');
}

/** Words with white space between them, or a script that sets none; no address, no code. */
function isSentence(text: string): boolean {
  const head = text.slice(0, 400);
  if (/^(?:https?:|data:|\/|[{[])/.test(head)) return false;
  const spaces = head.split(/\s+/).length;
  if (spaces * 14 < head.length && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]{10}/u.test(head))
    return false;
  return !/function\s*\(|=>|[{};]\s*\n|--[\w-]+:/.test(head);
}
