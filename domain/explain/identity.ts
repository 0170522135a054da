/** Which page a URL is: the rules that made its canonical form, and where the crawl met it. */
import type { CanonicalRuleName, CanonicalStep } from '../url-steps.ts';
import { counted } from '../counted.ts';
import { note, type Decision } from './decision.ts';
import { cutPhrasesOf, linkCuts, type Cut } from '../limits.ts';
import { shortenedCounted, type ExplainFacts, type RecordFacts } from './facts.ts';

export function canonicalDecisions({ link, steps, record }: ExplainFacts): Decision[] {
  const decisions = steps.map(stepDecision);
  if (decisions.length === 0) {
    decisions.push(
      note('canonical', 'unchanged', 'The URL is already written in its canonical form.', {
        result: link.canonical,
      }),
    );
  }
  if (record !== null && record.fetchUrl !== link.url) {
    decisions.push(
      note(
        'canonical',
        'known-as',
        `The crawl knows this page by another spelling with the same canonical form, and fetches that: ${record.fetchUrl}`,
        { result: record.fetchUrl },
      ),
    );
  }
  return decisions;
}

const ruleSentences: Readonly<Record<CanonicalRuleName, string>> = {
  'white-space': 'White space around and line ends within are left out',
  slashes: 'Backslashes, and missing or repeated slashes after the scheme, are corrected',
  'lower-case-scheme': 'The scheme is written in lower case',
  'lower-case-host': 'The host is written in lower case',
  'host-form': 'The host is written in the form in which it is looked up',
  'default-port': 'The port that the scheme implies is left out',
  'dot-segments': 'The dot segments of the path are resolved',
  'root-path': 'An empty path is the root',
  encoding: 'Characters that may not stand in a URL are percent-encoded',
  fragment: 'The fragment is left out',
  'host-dot': 'The dot at the end of the host is left out',
  www: 'The leading www. is left out',
  'percent-encoding': 'Escapes are brought into their normal form',
  'session-in-path': 'The session id in the path is left out',
  'trailing-slash': 'The slash at the end is left out',
  'tracking-parameter': 'The tracking parameter is left out',
  'session-parameter': 'The session id is left out',
  'empty-parameters': 'Empty parameters are left out',
  'sorted-parameters': 'Parameters are sorted by name',
};

function stepDecision({ rule, dropped, result }: CanonicalStep): Decision {
  const what = dropped === null ? '' : ` (${dropped})`;
  return note('canonical', rule, `${ruleSentences[rule]}${what}: ${result}`, { dropped, result });
}

/** The pages and sitemaps from which a URL that was not met may have been cut, in a sentence; null: none is known. */
export function mayHaveFallenOff({ shortened: { total, some } }: ExplainFacts): string | null {
  if (some.length === 0) return null;
  const named = some.map(({ url, cut }) => `${url} (${cutPhrasesOf(lostLinks(cut)).join(', ')})`);
  const others = total - some.length;
  const more =
    others === 0
      ? ''
      : `, and ${total >= shortenedCounted ? 'at least ' : ''}${counted(others, 'other', 'others')}`;
  return `The URL may be among the links that were left out of ${named.join(', ')}${more}.`;
}

const lostLinks = (cut: Cut): Cut => Object.fromEntries(linkCuts.map((kind) => [kind, cut[kind]]));

/** The URL may be one that was forgotten, in a sentence; null: none was at its host. */
export function mayBeForgotten({ host }: ExplainFacts): string | null {
  if (host === null || host.forgotten === 0) return null;
  return `It may be among ${counted(host.forgotten, 'URL')} of this host that the crawl forgot, because they were gone for thirty days.`;
}

function notFound(facts: ExplainFacts): Decision[] {
  const fallen = mayHaveFallenOff(facts);
  if (fallen === null) return [];
  const { total, some } = facts.shortened;
  return [note('found', 'maybe-left-out', fallen, { pages: total, first: some[0]?.url ?? null })];
}

export function foundDecisions(facts: ExplainFacts): Decision[] {
  const { record } = facts;
  if (record === null) return notFound(facts);
  const { discoveredFrom: parent, depth, priority, discoveredAt: at, redirectedWith } = record;
  const [verdict, where] = foundAs(record);
  return [
    note(
      'found',
      verdict,
      `${where}, at ${at}, ${depth === 0 ? 'at depth 0' : `${counted(depth, 'link', 'links')} from a seed`}.`,
      { at, parent, depth, priority, status: redirectedWith },
    ),
  ];
}

function foundAs(record: RecordFacts): readonly [verdict: string, where: string] {
  const { discoveredFrom: parent, redirectedWith: status } = record;
  if (record.seed) return ['seed', 'It is a seed of the crawl'];
  if (status !== null && parent !== null) {
    return ['redirect', `It came from a redirect: ${parent} answered ${String(status)}`];
  }
  if (record.kind === 'requisite') return ['requisite', `It is needed to show ${parent ?? 'a page'}`];
  if (record.kind === 'probe') return ['probe', `Its path was made up beside ${parent ?? 'a page'}`];
  if (parent !== null) return ['link', `It was found on ${parent}`];
  return record.kind === 'sitemap'
    ? ['robots-sitemap', 'A robots.txt names it as a sitemap']
    : ['unknown', 'Where it was found is not recorded'];
}
