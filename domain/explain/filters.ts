/** What a URL must pass to get into the queue: scope, filters and limits, as they stand now. */
import { coveringDomain, hostName, optOutDetail, optOutReason } from '../opt-out.ts';
import { counted } from '../counted.ts';
import { deciding, note, pass, stop, type Decision } from './decision.ts';
import type { CrawlFacts, ExplainFacts } from './facts.ts';
import { vouchedReach } from '../scope.ts';
import { hasSession } from '../session-links.ts';
import { reasonText } from '../url-reason.ts';

/** All decisions up to the first that stops the URL; every decision if none does. */
export function filterDecisions(facts: ExplainFacts): Decision[] {
  return [...editedSettings(facts), ...scopeAndFilters(facts)];
}

/** No decision for settings that were never edited. */
function editedSettings({ crawl: { version, isEditing } }: ExplainFacts): Decision[] {
  if (version === 1) return [];
  const by = `These decisions follow version ${String(version)} of the settings of the crawl`;
  return [
    note(
      'scope',
      'settings',
      isEditing
        ? `${by}, which is being applied to the frontier now: the URL itself may not have been judged by it yet.`
        : `${by}.`,
      { version, editing: isEditing },
    ),
  ];
}

function scopeAndFilters(facts: ExplainFacts): Decision[] {
  const { scope, record, link, crawl } = facts;
  if (record?.kind === 'sitemap' && (record.discoveredFrom === null || isVouched(facts))) {
    return [
      pass(
        'scope',
        'exempt',
        'The URL is a sitemap that the robots.txt of a host of the crawl names, and such a sitemap is read wherever it lies.',
      ),
    ];
  }
  if (record?.kind === 'requisite' && scope.verdict === 'admit') {
    const because =
      'A page of the crawl needs the file to be shown, and such files are fetched wherever they lie.';
    return [pass('scope', 'exempt', because), optOut(facts), ...hostLimit(facts)];
  }
  if (scope.verdict === 'outside') {
    return [
      stop('scope', 'outside', `The URL is outside the crawl: ${scope.detail ?? 'no reason was given'}.`, {
        scope: crawl.config.scope,
        host: link.host,
      }),
    ];
  }
  const inside: Decision = pass('scope', 'inside', insideSentences[crawl.config.scope], {
    scope: crawl.config.scope,
    host: link.host,
  });
  const unlisted = sitemapsOnly(facts);
  if (unlisted !== null && scope.verdict === 'admit') return [inside, unlisted];
  const passed = passedFilters(facts);
  const stoppedBy = passed.findIndex(({ verdict }) => verdict === scope.reason);
  if (scope.verdict === 'admit')
    return [inside, ...passed, optOut(facts), ...quarantineDecisions(facts), ...hostLimit(facts)];
  return [
    inside,
    ...passed.slice(0, Math.max(stoppedBy, 0)),
    stop(
      'filter',
      scope.reason ?? 'unknown',
      `A filter excludes the URL: ${reasonText(scope.reason, scope.detail)}.`,
      { rule: scope.detail },
    ),
  ];
}

/** A sitemap outside the scope that lies with the sitemap that names it. */
const isVouched = ({ scope, record, link, crawl }: ExplainFacts): boolean =>
  scope.verdict === 'outside' &&
  vouchedReach(crawl.config.scope) &&
  record?.discoveredFrom?.startsWith(`${link.host}/`) === true;

/** Null: links of pages are followed, or the URL has been found by other ways. */
function sitemapsOnly({ scope, record, crawl }: ExplainFacts): Decision | null {
  if (record !== null || scope.isSeed) return null;
  if (!crawl.config.follow)
    return stop(
      'scope',
      'no-follow',
      'The crawl fetches its seeds only, and where they redirect to: it follows no links.',
    );
  if (crawl.config.sitemap !== 'only') return null;
  return stop(
    'scope',
    'sitemap-only',
    'The crawl takes pages from sitemaps and seeds only, and no sitemap that it has read so far names the URL.',
  );
}

const insideSentences: Readonly<Record<CrawlFacts['config']['scope'], string>> = {
  host: 'The URL is inside the crawl: its host is the host of a seed, or where one leads.',
  domain: 'The URL is inside the crawl: its registrable domain is that of a seed, or of where one leads.',
  prefix: 'The URL is inside the crawl: it lies in or below the folder of a seed, or of where one leads.',
  any: 'The URL is inside the crawl, as every URL is.',
};

/** Filters in the order of domain/scope.ts, each named by the reason with which it would stop a URL. */
function passedFilters({ crawl: { config }, scope, link, record }: ExplainFacts): Decision[] {
  const limit = config.maxUrlLength;
  const length = `Its length is ${counted(link.url.length, 'character', 'characters')}, at most ${limit.toLocaleString('en-US')} are allowed`;
  const depth =
    config.maxDepth === null
      ? 'Any number of links from a seed is allowed'
      : `It is ${counted(scope.depth, 'link', 'links')} from a seed, at most ${String(config.maxDepth)} are allowed`;
  const supposed = record === null && !scope.isSeed ? ', judged as a link on a seed' : '';
  const { include, exclude, includeDomains, excludeDomains } = config;
  const matching = scope.includedBy;
  const within = coveringDomain(hostName(link.host), new Set(includeDomains));
  return [
    pass('filter', 'url-length', `${length}.`, { length: link.url.length, limit }),
    pass('filter', 'depth', `${depth}${supposed}.`, { depth: scope.depth, limit: config.maxDepth }),
    pass(
      'filter',
      'domain',
      excludeDomains.length === 0
        ? 'There are no excluded domains.'
        : `The URL is in no excluded domain (there ${excludeDomains.length === 1 ? 'is 1' : `are ${String(excludeDomains.length)}`}).`,
      { domains: excludeDomains.length },
    ),
    pass(
      'filter',
      'pattern',
      exclude.length === 0
        ? 'There are no exclude patterns.'
        : `No exclude pattern matches the URL (there ${exclude.length === 1 ? 'is 1' : `are ${String(exclude.length)}`}).`,
      { patterns: exclude.length },
    ),
    pass(
      'filter',
      'not-included',
      [...includedSentence(include, matching), ...ofDomainSentence(includeDomains, within)].join(' '),
      { patterns: include.length, rule: matching, domains: includeDomains.length, domain: within },
    ),
    ...sessionLink(config),
  ];
}

/** No decision for a crawl without a session. */
function sessionLink({ headers, signedIn = false, sessionLinks }: CrawlFacts['config']): Decision[] {
  if (!signedIn && !hasSession(headers)) return [];
  const because = sessionLinks
    ? 'The crawl has a session, and its settings say that links which may end it are followed.'
    : 'The crawl has a session, and nothing in the URL promises to end it or to change something.';
  return [pass('filter', 'session-link', because)];
}

function includedSentence(include: readonly string[], matching: string | null): string[] {
  if (include.length === 0) return ['There are no include patterns, so none has to match.'];
  return matching === null
    ? ['No include pattern matches the URL, but the URL is a seed.']
    : [`The include pattern ${matching} matches the URL.`];
}

function ofDomainSentence(includeDomains: readonly string[], within: string | null): string[] {
  if (includeDomains.length === 0) return [];
  return within === null
    ? ['The URL is in no included domain, but the URL is a seed.']
    : [`The URL is in the included domain ${within}.`];
}

function optOut({ optedOut, link }: ExplainFacts): Decision {
  return deciding(optedOut === null ? 'pass' : 'stop')(
    'filter',
    optOutReason,
    optedOut === null
      ? 'Its site has not opted out of being crawled.'
      : `A filter excludes the URL: ${reasonText(optOutReason, optOutDetail(optedOut))}.`,
    { domain: optedOut, host: link.host },
  );
}

/** No decision for a URL that the crawl has: the limit was judged when it was admitted. */
function hostLimit({ record, host, crawl }: ExplainFacts): Decision[] {
  if (record !== null) return [];
  const limit = crawl.config.maxPagesPerHost;
  const urls = host?.urls ?? 0;
  const full = urls >= limit;
  return [
    deciding(full ? 'stop' : 'pass')(
      'filter',
      'host-limit',
      `The crawl has ${counted(urls, 'URL', 'URLs')} of its host, at most ${limit.toLocaleString('en-US')} are allowed.`,
      { urls, limit },
    ),
  ];
}

/**
 * Why a URL is kept back, or goes behind the others, because URLs of its shape look like a trap. No decision if nothing is
 * said of its shapes.
 */
function quarantineDecisions({ quarantine, record, scope }: ExplainFacts): Decision[] {
  if (quarantine === null) return [];
  const { id, shape, verdict, rule, why, since, crawlId } = quarantine;
  const detail = { id, shape, verdict, rule };
  if (verdict === 'suspected') {
    const suspects = rule === 'noindex' ? '' : 'are suspected to be a trap and ';
    const because = `URLs of its shape (${shape}) ${suspects}go behind the others: ${why}.`;
    return [note('filter', 'suspected', because, detail)];
  }
  if (rule === 'soft-404') {
    const because = `It is in quarantine since ${since}, because it looks like a page that is not there: ${why}. orbweaver quarantine release ${crawlId} ${id} takes it and its like out.`;
    return [note('filter', 'soft-404', because, detail)];
  }
  const stops = !scope.isSeed && (record === null || record.reason === 'trap' || record.state === 'queued');
  const word = verdict === 'confirmed' ? 'a person confirmed that they are a trap' : `they look like a trap`;
  return [
    deciding(stops && record?.reason !== 'sample' ? 'stop' : 'note')(
      'filter',
      'trap',
      `URLs of its shape (${shape}) are in quarantine since ${since}, because ${word}: ${why}. ` +
        `orbweaver quarantine release ${crawlId} ${id} queues them again.`,
      detail,
    ),
  ];
}
