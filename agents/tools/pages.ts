/** Pages of a crawl: the list of them, one as Markdown, fields of one by selectors. */
import { z } from 'zod';
import { pageList } from '../../contracts/http/results.ts';
import { pageFilter } from '../../contracts/http/page-filter.ts';
import { pageRules } from '../../contracts/http/page-rules.ts';
import { ruleTrial } from '../../contracts/http/rule-trial.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { cutPhrasesOf } from '../../domain/limits.ts';
import { partThatFits, pieceOf, shortened } from '../bounds.ts';
import { crawlId, cursor, limit, pageUrl } from '../inputs.ts';
import { tool, type Told } from '../tool.ts';

/** The filter as the API takes it: it reads these texts itself, and says what is wrong with one. */
const filters = Object.fromEntries(
  Object.entries(pageFilter.shape).map(([name, { description }]) => [
    name,
    z
      .string()
      .max(1_000)
      .optional()
      .describe(description ?? ''),
  ]),
) as Record<keyof typeof pageFilter.shape, z.ZodOptional<z.ZodString>>;

export const listPages = tool({
  name: 'list_pages',
  title: 'List pages of a crawl',
  description:
    'Lists what a crawl has fetched: URL, status, title, language, words, when. A page must fit all filters that are given. URLs that were not fetched are not listed: explain says why.',
  input: z.strictObject({ crawlId, ...filters, limit: limit(30), cursor }),
  asks: ['GET /v1/crawls/{crawlId}/pages'],
  does: 'reads',
  run: async ({ crawlId: id, limit: most, cursor: after, ...filter }, { ask }) => {
    const { items, answer } = await partThatFits(
      most,
      (asked) =>
        ask('GET /v1/crawls/{crawlId}/pages', pageList, {
          path: { crawlId: id },
          query: { ...filter, limit: asked, cursor: after },
        }),
      ({ url, state, status, reason, title, language, words, contentType, fetchedAt, redirectTo }) => ({
        url,
        status,
        ...(state !== 'done' && { state }),
        ...(reason !== null && { reason }),
        title,
        language,
        words,
        contentType,
        fetchedAt,
        ...(redirectTo !== null && { redirectTo }),
      }),
    );
    const { next, more } = answer;
    return {
      says: [
        `${counted(items.length, 'page')} of crawl ${id}.`,
        more && next !== null
          ? `More follow: ask again with cursor "${next}".`
          : next === null
            ? 'No more pages follow.'
            : `No more pages so far, but the crawl goes on: ask later with cursor "${next}".`,
      ],
      facts: { crawlId: id, next, more },
      web: items,
    };
  },
});

/** A piece of a stored page, and how to get the next: `facts` name its crawl and its URL. */
export function tellPiece(
  page: { readonly text: string; readonly leftOut: number; readonly unit: string },
  offset: number,
  facts: Readonly<Record<string, unknown>> & { readonly crawlId: string; readonly url: string },
): Told & { readonly web: string } {
  const { text, from, to, of } = pieceOf(page.text, offset);
  const next = to < of ? to : null;
  const { leftOut, unit } = page;
  return {
    says: [
      from >= of && of > 0
        ? `The page has ${grouped(of)} characters; nothing is left at offset ${String(offset)}.`
        : `Characters ${grouped(from)} to ${grouped(to)} of ${grouped(of)}.`,
      ...(next === null
        ? []
        : [
            `${grouped(of - to)} characters are left: read_page with crawlId "${facts.crawlId}", the url of the page and offset ${String(next)} reads on.`,
          ]),
      ...(leftOut === 0
        ? []
        : [`The page is longer still: ${grouped(leftOut)} ${unit} at its end were not kept as text.`]),
    ],
    facts: { ...facts, from, to, characters: of, nextOffset: next, leftOut },
    web: text,
  };
}

export const readPage = tool({
  name: 'read_page',
  title: 'Read a page',
  description:
    'Reads a page that a crawl has stored, as Markdown, without a request to its host. A long page comes in pieces: the result says at which offset the next piece begins.',
  input: z.strictObject({
    crawlId,
    url: pageUrl,
    part: z
      .enum(['page', 'main'])
      .default('page')
      .describe('page: the page without scripts and navigation; main: its main text alone.'),
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe('Character at which to begin: nextOffset of the piece before.'),
  }),
  asks: ['GET /v1/crawls/{crawlId}/body'],
  does: 'reads',
  run: async ({ crawlId: id, url, part, offset }, { read }) => {
    const page = await read('GET /v1/crawls/{crawlId}/body', {
      path: { crawlId: id },
      query: { url, part: part === 'main' ? 'main-markdown' : 'markdown' },
    });
    return tellPiece({ ...page, unit: 'characters' }, offset, { crawlId: id, url });
  },
});

export const extract = tool({
  name: 'extract',
  title: 'Extract fields of a page',
  description:
    'Takes typed values from a page that a crawl has stored, by CSS selectors, without a request to its host. Example of fields: {"price": {"select": ".price", "type": "number"}, "tags": {"select": ".tag", "many": true}}. Values that are not of their type are told apart.',
  input: z.strictObject({
    crawlId,
    url: pageUrl,
    fields: pageRules.shape.fields.unwrap().describe('Values to take, by name; 50 at most.'),
  }),
  asks: ['POST /v1/crawls/{crawlId}/rule-trial'],
  does: 'reads',
  run: async ({ crawlId: id, url, fields }, { ask }) => {
    const found = await ask(
      'POST /v1/crawls/{crawlId}/rule-trial',
      ruleTrial.pick({ url: true, title: true, fields: true, unread: true, cut: true }),
      { path: { crawlId: id }, body: { url, rules: { fields } } },
    );
    const whole = { title: found.title, fields: found.fields, unread: found.unread };
    const shown = shortened(whole, 2_000);
    return {
      says: [
        found.fields === null
          ? 'The fields could not be read from this page.'
          : `${counted(Object.keys(found.fields).length, 'field')} of the page; null: the page has no such value.`,
        ...cutPhrasesOf(found.cut).map((phrase) => `Left out: ${phrase}.`),
      ],
      facts: { crawlId: id, url: found.url },
      web: [shown as object],
    };
  },
});
