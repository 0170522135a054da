/** A crawl of one host as the pure rules alone have it: virtual time, scripted answers, one request after another. */
import { afterAnswer, newHost, historyOf, type HostMemory } from '../../domain/host-memory.ts';
import { judgeAnswer, type Answer } from '../../domain/outcome.ts';
import { earliestStart, hostDelayMs } from '../../domain/pace.ts';
import { behindBy } from '../../domain/priority/place.ts';
import { isSpent } from '../../domain/trouble.ts';
import type { UrlReason } from '../../domain/url-reason.ts';

export type Answering = (request: {
  readonly page: string;
  readonly nth: number;
  readonly at: number;
}) => Answer;

export interface Run {
  /** Pages in the order they were asked for. */
  readonly asked: readonly { readonly page: string; readonly at: number; readonly answer: Answer }[];
  readonly states: Readonly<Record<string, string>>;
  /** Times at which the host was left alone, and for how long. */
  readonly closings: readonly { readonly class: string; readonly at: number; readonly ms: number }[];
  readonly delays: readonly number[];
  readonly parked: boolean;
  readonly memory: HostMemory;
  /** When the last page that is good came in; null: none did. */
  readonly goodBy: number | null;
  readonly endedAt: number;
}

export const response = (status: number, retryAfterSeconds: number | null = null): Answer => ({
  kind: 'response',
  status,
  truncated: false,
  retryAfterMs: retryAfterSeconds === null ? null : retryAfterSeconds * 1_000,
  wanted: true,
  location: 'none',
  hasBody: true,
});

interface Waiting {
  readonly page: string;
  readonly priority: number;
  readonly due: number;
  readonly tries: number;
  readonly reason: UrlReason | null;
}

/** As a slice works: the best that is due next, at the pace in force, until nothing is left or the host parks. */
export function crawl(pages: readonly string[], answering: Answering, untilMs = Infinity): Run {
  let memory = newHost;
  let queue: Waiting[] = pages.map((page, at) => ({
    ...{ page, priority: 1 / (1 + at), due: 0, tries: 0, reason: null },
  }));
  let now = 0;
  let parked = false;
  let goodBy: number | null = null;
  const asked: { page: string; at: number; answer: Answer }[] = [];
  const closings: { class: string; at: number; ms: number }[] = [];
  const delays: number[] = [];
  const states: Record<string, string> = {};
  const counts = new Map<string, number>();
  while (queue.length > 0 && !parked && now < untilMs) {
    const due = queue.filter((url) => url.due <= now).sort((a, b) => b.priority - a.priority);
    const url = due[0];
    if (url === undefined) {
      now = Math.min(...queue.map((each) => each.due));
      continue;
    }
    queue = queue.filter((each) => each !== url);
    const nth = (counts.get(url.page) ?? 0) + 1;
    counts.set(url.page, nth);
    const answer = answering({ page: url.page, nth, at: now });
    asked.push({ page: url.page, at: now, answer });
    if (answer.kind === 'fault' && answer.fault === 'timeout') now += 30_000;
    const delayOf = ({ manners: { slowdown } }: HostMemory): number =>
      hostDelayMs({ operatorMs: null, robotsMs: null, hurriedMs: [], slowdown });
    const history = historyOf(memory, { key: url.page, reason: url.reason }, now);
    const next = judgeAnswer(answer, {
      tries: url.tries,
      hops: 0,
      maxRedirects: 5,
      isShared: false,
      ...history,
    });
    memory = afterAnswer(memory, url.page, next.host, delayOf(memory), now);
    const { trouble } = next.host;
    if (trouble !== null) {
      closings.push({ class: trouble.class, at: now, ms: trouble.waitMs });
      parked = isSpent(trouble.class, memory.failures);
    }
    if (next.url.state === 'queued') {
      const { inMs, own, behind, reason } = next.url;
      const priority = behind && url.priority > 0 ? url.priority - behindBy : url.priority;
      queue.push({ page: url.page, priority, due: now + inMs, tries: url.tries + (own ? 1 : 0), reason });
    } else {
      states[url.page] = `${next.url.state} ${next.url.reason}`;
      if (next.url.state === 'done') goodBy = now;
    }
    delays.push(delayOf(memory));
    now = Math.max(earliestStart({ headAt: now, endAt: now }, delayOf(memory)), now + (trouble?.waitMs ?? 0));
  }
  for (const { page } of queue) states[page] = 'queued';
  return { asked, states, closings, delays, parked, memory, goodBy, endedAt: now };
}
