/** Reasons to wait that end when somebody acts, however late it gets. The weightiest first. */
import { counted } from '../counted.ts';
import { optOutDetail, optOutReason } from '../opt-out.ts';
import { troubleText } from '../url-reason.ts';
import type { CrawlFacts } from '../explain/facts.ts';
import type { Reason } from './reason.ts';

export const untilSomebodyActs = {
  'opt-out': {
    desk: 'the host is on the opt-out list',
    explain({ optedOut: domain }) {
      if (domain === null) return null;
      return {
        verdict: optOutReason,
        because: `${optOutDetail(domain)} of being crawled: the URL will be excluded on its turn.`,
        inMs: null,
      };
    },
  },
  'crawl-state': {
    explain({ crawl }) {
      const because = haltSentence(crawl);
      return because === null ? null : { verdict: `crawl-${crawl.state}`, because, inMs: null };
    },
  },
  paused: {
    blame: 'settings',
    means: 'hosts that an operator has paused',
    explain({ host }) {
      const since = host?.pausedAt ?? null;
      if (since === null) return null;
      return {
        verdict: 'host-paused',
        because: `An operator has paused the host since ${since}: no request is sent to it before it is resumed.`,
        inMs: null,
      };
    },
  },
  parked: {
    blame: 'host',
    means: 'hosts that are parked because their retries are spent',
    explain({ host }) {
      const since = host?.parkedAt ?? null;
      if (host === null || since === null) return null;
      const why = host.lastError === null ? '' : `: ${troubleText(host.lastError)}`;
      return {
        verdict: 'host-parked',
        because: `The host has been parked since ${since}${why}; it waits for a probe that is answered, or a retry. Temporal Web shows the time of the next probe in the workflow of the host.`,
        inMs: null,
      };
    },
  },
  logged_out: {
    blame: 'settings',
    means: 'hosts that have logged the crawl out',
    explain({ host }) {
      const out = host?.loggedOut ?? null;
      if (out === null) return null;
      return {
        verdict: 'logged-out',
        because: `The site has logged the crawl out since ${out.since}: a request with its session was ${out.why}. The crawl goes on here where it was, once it is given another session (session add). Other crawls are not held up.`,
        inMs: null,
      };
    },
  },
  'page-limit': {
    explain({ crawl: { config, pagesInHand } }) {
      if (config.maxPages === null || pagesInHand < config.maxPages) return null;
      return {
        verdict: 'page-limit',
        because: `The crawl has the ${counted(config.maxPages, 'page', 'pages')} it may fetch, or is fetching the last of them.`,
        inMs: null,
      };
    },
  },
} as const satisfies Readonly<Record<string, Reason>>;

/** Null: the crawl sends requests. */
function haltSentence({ state, reason }: CrawlFacts): string | null {
  const why = reason === null ? '' : ` (${reason})`;
  switch (state) {
    case 'running':
      return null;
    case 'seeding':
      return 'The crawl has not begun yet.';
    case 'paused':
      return `The crawl is paused${why}: no request is sent before it is resumed.`;
    case 'draining':
      return `The crawl is ending${why}: what is still queued will be excluded.`;
    case 'finished':
    case 'cancelled':
    case 'failed':
      return `The crawl ${state === 'failed' ? 'has failed' : `is ${state}`}${why}: it sends no requests.`;
  }
}
