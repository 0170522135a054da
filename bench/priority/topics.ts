/** A web whose pages are about topics: what they say, what their links say, and in what order a focused crawl takes them. */
import { score, type PriorityWeights } from '../../domain/priority/score.ts';
import { Topic, type Focus, type LinkContext } from '../../domain/relevance/focus.ts';
import { randomFrom, type Random } from '../../test/web/random.ts';
import { sentencesIn, slugWord } from '../../test/web/words.ts';
import { reachable, type Web } from './graph.ts';
import { Heap, type Order } from './orders.ts';

interface TopicalWeb extends Web {
  /** Number of the topic, by page. */
  readonly topics: readonly number[];
  readonly words: readonly (readonly string[])[];
}

const topicCount = 20;
const wordsOfTopic = 60;

const madeUp = (random: Random): string => slugWord(random).toLowerCase() + slugWord(random).toLowerCase();

/**
 * Hosts have a main topic; most pages are about it, and most links lead to pages of the same topic, also on other hosts.
 * Famous pages attract links of any topic. One page in twenty is about the topic in question.
 */
export function topicalWeb(seed: number, hosts: number): TopicalWeb {
  const random = randomFrom(seed, 17);
  const words = Array.from({ length: topicCount }, () =>
    Array.from({ length: wordsOfTopic }, () => madeUp(random)),
  );
  const pages: { host: number; path: string; links: number[] }[] = [];
  const topics: number[] = [];
  const about = new Map<number, number[]>();
  const ofHost = new Map<number, number[]>();
  for (let host = 0; host < hosts; host++) {
    const main = random.below(topicCount);
    const size = 5 + random.below(60);
    for (let at = 0; at < size; at++) {
      const topic = random.chance(0.7) ? main : random.below(topicCount);
      const number = pages.length;
      pages.push({ host, path: at === 0 ? '/' : `/${slugWord(random)}/${String(at)}`, links: [] });
      topics.push(topic);
      about.set(topic, [...(about.get(topic) ?? []), number]);
      ofHost.set(host, [...(ofHost.get(host) ?? []), number]);
    }
  }
  for (const [number, page] of pages.entries()) {
    const own = ofHost.get(page.host) ?? [];
    const same = about.get(topics[number] ?? 0) ?? [];
    const links = new Set<number>([own[0] ?? number]);
    for (let at = 0; at < 5; at++) links.add(random.pick(own));
    for (let at = 0; at < 3; at++) links.add(random.pick(same));
    for (let at = 0; at < 3; at++) links.add(Math.floor(pages.length * random.next() ** 2));
    links.delete(number);
    page.links = [...links];
  }
  // `reachable` numbers pages anew: topics go along by their old numbers.
  const marked = pages.map((page, at) => ({ ...page, path: `${page.path}#${String(topics[at])}` }));
  const seeds = [0, 1, 2, 3, 4].map((at) => Math.floor((at * pages.length) / 5));
  const web = reachable({ pages: marked, hosts, seeds });
  return {
    ...web,
    pages: web.pages.map((page) => ({ ...page, path: page.path.replace(/#.*/, '') })),
    topics: web.pages.map(({ path }) => Number(path.replace(/.*#/, ''))),
    words,
  };
}

const sentences = sentencesIn('en');

/** About a hundred words; one in eight is of the page's topic, and now and then one of another. */
export function textOf({ topics, words }: TopicalWeb, number: number): string {
  const random = randomFrom(number, 3);
  const own = words[topics[number] ?? 0] ?? [];
  const parts = Array.from({ length: 8 }, () => {
    const telling = [random.pick(own), ...(random.chance(0.5) ? [random.pick(own)] : [])];
    const stray = random.chance(0.2) ? [random.pick(random.pick(words))] : [];
    return [random.pick(sentences), ...telling, ...stray].join(' ');
  });
  return parts.join(' ');
}

/** Half of the links say something of their target's topic; the others say nothing, or something else. */
function contextOf({ topics, words }: TopicalWeb, from: number, to: number): LinkContext {
  const random = randomFrom(from, to, 5);
  const target = words[topics[to] ?? 0] ?? [];
  const anchor = random.chance(0.5)
    ? random.pick(target)
    : random.chance(0.2)
      ? random.pick(random.pick(words))
      : 'read more';
  const around = `${random.pick(sentences)} ${random.chance(0.3) ? random.pick(target) : ''}`;
  return { anchor, around };
}

/** The order in which a focused crawl takes the pages. */
export function byRelevance(web: TopicalWeb, focus: Focus, weights: PriorityWeights): Order {
  const topic = new Topic(focus);
  const queue = new Heap();
  const met = new Map<
    number,
    { readonly depth: number; readonly parentPriority: number; promise: number; score: number }
  >();
  const done = new Set<number>();
  for (const seed of web.seeds) {
    met.set(seed, { depth: 0, parentPriority: 1, promise: 0, score: 1 });
    queue.put(seed, 1);
  }
  const order: number[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    order.push(next);
    done.add(next);
    const page = web.pages[next];
    const own = met.get(next);
    if (page === undefined || own === undefined) continue;
    const relevance = topic.read(textOf(web, next));
    for (const link of page.links) {
      if (done.has(link)) continue;
      const to = web.pages[link];
      const promise = topic.promise(to?.path ?? '', contextOf(web, next, link), relevance, own.score);
      const known = met.get(link);
      if (known !== undefined && known.promise >= promise) continue;
      const one = known ?? { depth: own.depth + 1, parentPriority: own.score, promise: 0, score: 0 };
      one.promise = promise;
      one.score = score(
        {
          ...{
            depth: one.depth,
            parentPriority: one.parentPriority,
            nesting: 2,
            home: to?.path === '/',
            trusted: 0,
          },
          ...{
            inboundHosts: 0,
            inboundPages: 1,
            relevance: promise,
            freshness: 0,
            dateOfSitemap: false,
            hostQuality: 1,
          },
        },
        weights,
      ).score;
      met.set(link, one);
      queue.put(link, one.score + 1e-9 * randomFrom(link).next());
    }
  }
  return order;
}

/** The share of relevant pages among the first part of an order. */
export function harvest(order: Order, { topics }: TopicalWeb, topic: number, part: number): number {
  const first = order.slice(0, Math.round(order.length * part));
  return first.filter((number) => topics[number] === topic).length / first.length;
}
