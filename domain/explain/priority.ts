/** Where a URL stands in line among the URLs of its crawl at its host, and what of. */
import { counted } from '../counted.ts';
import { isLast, worthOf } from '../priority/place.ts';
import type { PrioritySignals, ScorePart, WeighedSignal } from '../priority/score.ts';
import { note, type Decision } from './decision.ts';
import type { ExplainFacts, RecordFacts } from './facts.ts';

export function priorityDecisions({ record, quarantine }: ExplainFacts): Decision[] {
  if (record === null) return [];
  const { priority } = record;
  const told = (verdict: string, because: string, detail: Decision['detail'] = {}): Decision[] => [
    note('priority', verdict, because, { priority, ...detail }),
  ];
  if (record.kind === 'sitemap')
    return told('sitemap', 'It is a sitemap, and sitemaps are fetched before all pages of their host.');
  if (record.kind === 'probe')
    return told('probe', 'Its path was made up to see how the host answers one that it cannot know.');
  if (record.kind === 'requisite')
    return told('requisite', 'It is needed to show a page, and is wanted as much as that page.');
  const { because, detail, verdict } = ofPage(record);
  const behind =
    priority > 0
      ? ''
      : isLast(priority)
        ? ` ${quarantine?.rule === 'noindex' ? 'Pages of its shape ask not to be indexed' : 'It is suspected to be part of a trap'}, so it stands behind all other URLs of its crawl at its host.`
        : ' It has failed, so it stands behind all URLs of its crawl at its host that have not.';
  return told(verdict, `${because}${behind}`, detail);
}

/** A signal below this says nothing: the date of a page that is years old. */
const tellable = 1e-4;

interface Told {
  readonly verdict: string;
  readonly because: string;
  readonly detail: Decision['detail'];
}

function ofPage(record: RecordFacts): Told {
  const { seed, scored, priority } = record;
  if (seed) return { verdict: 'seed', because: 'Its score is 1, the highest: it is a seed.', detail: {} };
  const stands = shown(worthOf(priority));
  if (scored === null) {
    const because = `Its score is ${stands}, that of the URL that redirected to it.`;
    return { verdict: 'redirect', because, detail: {} };
  }
  const { parts, factor, score, signals } = scored;
  const adding = parts.filter(({ value }) => value >= tellable);
  const sum = adding.map((part) => `${shown(part.value * part.weight * factor)} ${wordsOf(part, signals)}`);
  const now =
    shown(score) === stands
      ? `Its score is ${stands}`
      : `Its score is ${stands}; by what is known now it would be ${shown(score)}`;
  return {
    verdict: 'scored',
    because: `${now}: ${sum.join(', ')}${reducedBy(signals)}.`,
    detail: {
      score,
      ...Object.fromEntries(parts.map(({ signal, value, weight }) => [signal, value * weight * factor])),
    },
  };
}

const words: Readonly<Record<WeighedSignal, (signals: PrioritySignals) => string>> = {
  depth: ({ depth, parentPriority }) =>
    `for ${counted(depth, 'link', 'links')} from a seed, where the page that names it has ${shown(parentPriority)}`,
  inbound: ({ inboundHosts }) => `for links from ${about(inboundHosts, 'other host')}`,
  internal: ({ inboundPages }) => `for links from ${about(inboundPages, 'page')} of its host`,
  nesting: ({ nesting }) => `for ${counted(nesting, 'segment')} in its path`,
  home: () => 'for being the home page of its host',
  freshness: ({ dateOfSitemap }) =>
    dateOfSitemap ? 'for the date of its last change in a sitemap' : 'for the date in its address',
  relevance: ({ relevance }) => `for what its links promise of the crawl’s focus, ${shown(relevance)}`,
  trusted: ({ trusted }) =>
    trusted === 1 ? 'because its domain is trusted' : 'for the place of its domain in the ranking',
};

const wordsOf = ({ signal }: ScorePart, signals: PrioritySignals): string => words[signal](signals);

function reducedBy({ hostQuality }: PrioritySignals): string {
  return hostQuality < 1 ? `, all lowered by the quality of its host, ${shown(hostQuality)}` : '';
}

/** Counts of more than a few are estimates (domain/priority/link-sketch.ts). */
const about = (count: number, one: string): string => `${count > 4 ? 'about ' : ''}${counted(count, one)}`;
const shown = (value: number): string => String(Number(value.toPrecision(3)));
