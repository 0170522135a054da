/** Screens by the path of the address bar, below /console. */
import { computed, signal } from '@preact/signals';

export const base = '/console';

const here = (): URL => new URL(location.href);

const address = signal(here());
addEventListener('popstate', () => {
  address.value = here();
});

/** Decoded, without the base: `/crawls/3`. */
export const path = computed(() => address.value.pathname.replace(/^\/console\/?/, '/'));
export const query = computed(() => address.value.searchParams);

/** @param to as `path`, with its query */
export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', base + to);
  address.value = here();
  if (how === 'push') {
    scrollTo(0, 0);
    // What reads the page aloud begins with the new screen.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1')?.focus());
  }
}

/** Changes the query of this screen; null takes a name away. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  go(path.value + (text === '' ? '' : `?${text}`), 'replace');
}

/** Links within the console change the screen and load nothing. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !/^\/console(\/|$)/.test(to.pathname)) return;
  event.preventDefault();
  if (to.href === location.href) return;
  go(to.pathname.replace(/^\/console\/?/, '/') + to.search);
}

/** `/crawls/:crawl/pages` against a path; null: it does not fit. */
export function parameters(pattern: string, at: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern, at].map((text) => text.replace(/\/$/, '').split('/'));
  if (wanted === undefined || given?.length !== wanted.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':')) {
      try {
        found[part.slice(1)] = decodeURIComponent(text);
      } catch {
        return null;
      }
    } else if (part !== text) return null;
  }
  return found;
}
