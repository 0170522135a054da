/** A crawler small enough to trust by reading: what the judge is tried on, and what shows that the web can be crawled. */
import { pageKey } from './expected.ts';

interface Habits {
  /** Milliseconds between the starts of two requests of a host. */
  readonly delayMs?: number;
  /** Paths with one of these prefixes or suffixes are left alone. */
  readonly barred?: (path: string) => boolean;
  readonly robotsFirst?: boolean;
  readonly obeyNofollow?: boolean;
  /** Spellings of one page are told apart by their text alone. */
  readonly forgetKeys?: boolean;
  /** Requests of a host in flight at once. */
  readonly atOnce?: number;
  /** Pages of a host at most. */
  readonly most?: number;
}

const followable = (attributes: string): boolean =>
  !/\brel="[^"]*\b(?:nofollow|ugc|sponsored)\b/.test(attributes);

function linksIn(html: string, base: string, obeyNofollow: boolean): string[] {
  if (obeyNofollow && html.includes('<meta name="robots" content="nofollow">')) return [];
  const body = html.slice(html.indexOf('<body>'));
  return [...body.matchAll(/<a href="([^"]*)"([^>]*)>/g)]
    .filter(([, , attributes]) => !obeyNofollow || followable(attributes ?? ''))
    .map(([, href]) => new URL((href ?? '').replaceAll('&amp;', '&'), base).href);
}

/** Crawls what it reaches from `seeds` without leaving `origins`, a host's requests one after the other. */
export async function crawl(
  seeds: readonly string[],
  origins: readonly string[],
  habits: Habits = {},
): Promise<void> {
  const { delayMs = 0, barred = () => false, atOnce = 1, most = Infinity } = habits;
  const { robotsFirst = true, obeyNofollow = true, forgetKeys = false } = habits;
  const seen = new Set<string>();
  const queues = new Map(origins.map((origin) => [origin, [] as string[]]));
  const asked = new Map<string, number>();
  let open = 0;

  const admit = (url: string): void => {
    const plain = url.replace(/#.*/, '');
    const key = forgetKeys ? plain : pageKey(plain);
    const { origin, pathname, search } = new URL(plain);
    const queue = queues.get(origin);
    if (queue === undefined || seen.has(key) || barred(pathname + search)) return;
    seen.add(key);
    queue.push(plain);
    open++;
  };
  const visit = async (url: string): Promise<void> => {
    const response = await fetch(url, { redirect: 'manual' });
    const html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) admit(new URL(location, url).href);
    if (response.headers.get('x-robots-tag') === 'nofollow' && obeyNofollow) return;
    for (const link of linksIn(html, url, obeyNofollow)) admit(link);
  };
  const work = async (origin: string, queue: string[]): Promise<void> => {
    let next = 0;
    if (robotsFirst) {
      await (await fetch(`${origin}/robots.txt`)).text();
      next = performance.now() + delayMs;
    }
    while (open > 0) {
      const due = queue.splice(0, (asked.get(origin) ?? 0) < most ? atOnce : 0);
      if (due.length === 0) {
        if ((asked.get(origin) ?? 0) >= most) return;
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      while (performance.now() < next) await new Promise((resolve) => setTimeout(resolve, 1));
      await Promise.all(due.map(visit));
      // Counted from the answer: the request has reached the host by then, however long it was on its way.
      next = performance.now() + delayMs;
      asked.set(origin, (asked.get(origin) ?? 0) + due.length);
      open -= due.length;
    }
  };
  for (const seed of seeds) admit(seed);
  await Promise.all([...queues].map(([origin, queue]) => work(origin, queue)));
}
