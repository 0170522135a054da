/** What OpenSearch is asked for a search, and what its answer says. */
import type { API } from '@opensearch-project/opensearch';
import type { HitView } from '../../contracts/http/search.ts';
import { hitMarks, snippetOf } from '../../domain/search/page.ts';
import type { Term } from '../../domain/search/query.ts';
import { shownFields, type Shown } from './opensearch-mapping.ts';
import type { SearchFilter, SearchRequest } from './search-index.ts';

/** OpenSearch trims control characters like those of `hitMarks` off the ends of fragments; no text has these either. */
const [markStart, markEnd] = ['\ufdd0', '\ufdd1'];

/** Pages that are counted; of more it is only said that there are more. */
const mostCounted = 10_000;
/** Milliseconds after which OpenSearch answers with what it has. */
const searchMs = 5_000;

type Body = NonNullable<API.Search_Request['body']>;
type Query = NonNullable<Body['query']>;

const fieldsOf = (config: string): string[] => [
  `${config}.title^8`,
  `${config}.description^2`,
  `${config}.text`,
];

const matches = (config: string, { text, isPhrase }: Term, others: 'all' | 'none'): Query => ({
  multi_match: {
    query: text,
    fields: fieldsOf(config),
    zero_terms_query: others,
    ...(isPhrase ? { type: 'phrase' as const } : { type: 'best_fields' as const, operator: 'and' as const }),
  },
});

/** Pages of a language with all the words. Words without a meaning for it are passed over, unless there is no other. */
function inLanguage(config: string, terms: readonly Term[]): Query {
  const wanted = terms.filter(({ isUnwanted }) => !isUnwanted);
  const anyWord = { text: wanted.map(({ text }) => text).join(' '), isPhrase: false, isUnwanted: false };
  return {
    bool: {
      filter: [
        { term: { config: { value: config } } },
        { multi_match: { query: anyWord.text, fields: fieldsOf(config), operator: 'or' } },
      ],
      must: wanted.map((term) => matches(config, term, 'all')),
      must_not: terms.filter(({ isUnwanted }) => isUnwanted).map((term) => matches(config, term, 'none')),
    },
  };
}

function filters({ host, language, status, contentType, since, until }: SearchFilter): Query[] {
  const exactly = (field: string, value: string): Query => ({ term: { [field]: { value } } });
  const [least, most] = [status?.replace('xx', '00'), status?.replace('xx', '99')];
  return [
    ...(host === undefined ? [] : [exactly('origin', host)]),
    ...(language === undefined ? [] : [exactly('language', language)]),
    ...(status === undefined ? [] : [{ range: { status: { gte: Number(least), lte: Number(most) } } }]),
    ...(contentType === undefined
      ? []
      : [
          contentType.endsWith('/*')
            ? exactly('family', contentType.slice(0, -2))
            : exactly('contentType', contentType),
        ]),
    ...(since === undefined && until === undefined
      ? []
      : [{ range: { fetchedAt: { ...(since && { gte: since }), ...(until && { lt: until }) } } }]),
  ];
}

export const searchBody = ({ crawls, configs, terms, filter, limit, offset }: SearchRequest): Body => ({
  query: {
    bool: {
      filter: [{ terms: { crawl: crawls.map(({ id }) => id) } }, ...filters(filter)],
      should: configs.map((config) => inLanguage(config, terms)),
      minimum_should_match: 1,
    },
  },
  sort: [{ _score: { order: 'desc' } }, { fetchedAt: { order: 'asc' } }, { key: { order: 'asc' } }],
  from: offset,
  size: limit,
  track_total_hits: mostCounted,
  timeout: `${String(searchMs)}ms`,
  _source: { includes: ['crawl', ...shownFields] },
  highlight: {
    pre_tags: [markStart],
    post_tags: [markEnd],
    type: 'unified',
    order: 'score',
    number_of_fragments: 2,
    fragment_size: 150,
    no_match_size: 150,
    fields: Object.fromEntries(configs.map((config) => [`${config}.text`, {}])),
  },
});

/** @param highlight fragments of a text with marks, by fields */
export function hitOf(
  source: Shown,
  score: number | string | null | undefined,
  highlight: Readonly<Record<string, readonly string[]>> | undefined,
): HitView {
  const { crawl, ...shown } = source;
  const fragments = Object.values(highlight ?? {}).flat();
  const marked = fragments
    .join(' … ')
    .replaceAll(markStart, hitMarks.start)
    .replaceAll(markEnd, hitMarks.end);
  return { crawlId: crawl, ...shown, score: Number(score ?? 0), snippet: snippetOf(marked) };
}
