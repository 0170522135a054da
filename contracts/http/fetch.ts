/** One page, fetched politely or from the archive, on the wire. */
import { z } from 'zod';
import { renderModes } from '../../domain/rendering/mode.ts';
import { pageMeta } from './page-meta.ts';
import { pageFieldsView, pageRules } from './page-rules.ts';
import { pageView } from './results.ts';
import { ruleTrial } from './rule-trial.ts';
import { asInteger, count, instant, maxUrlInUrl, wholeNumber } from './shared.ts';

export const fetchFormats = ['markdown', 'text', 'html', 'json'] as const;

/** Seconds. An hour: a program that goes in circles asks no host twice, and hardly any page changes within it. */
const usualMaxAge = 3_600;
const [usualWait, longestWait] = [30, 120];
/** Bytes of UTF-8. */
const [usualBytes, mostBytes] = [1_048_576, 4_194_304];

/** What is wanted of the page; kept with the fetch. */
export const wantedOfPage = z.strictObject({
  format: z.enum(fetchFormats).default('markdown').meta({
    description:
      'What `content` is. markdown: the page as Markdown; text: its text; html: its HTML as the server sent it, or as a browser made it of that; json: its text too, with `links` and `meta`.',
  }),
  part: z.enum(['page', 'main']).default('page').meta({
    description:
      'page: the whole page without scripts; main: its main text alone, without what surrounds it. For `html` it makes no difference.',
  }),
  maxBytes: wholeNumber(1, mostBytes).default(usualBytes).meta({
    description: 'Bytes of `content` (UTF-8) at most; `leftOut` says how many are missing.',
  }),
  rules: pageRules.nullable().default(null).meta({
    description:
      'Values to take from the page, in `fields`; with the formats text and json, `include` and `exclude` say which parts are text. Null: none.',
  }),
});
export type WantedOfPage = z.output<typeof wantedOfPage>;

export const fetchRequest = z
  .strictObject({
    url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
    ...wantedOfPage.shape,
    maxAgeSeconds: wholeNumber(0, 1e9).default(usualMaxAge).meta({
      description:
        'A visit of the URL by any crawl of the tenant that is not older is answered without a request, and so is a refusal. 0: the host is asked anew.',
    }),
    render: z.enum(renderModes).default('auto').meta({
      description:
        'Whether a browser renders the page. auto: if it says hardly anything without its scripts; always; never. A visit that was made otherwise is no answer.',
    }),
    waitSeconds: wholeNumber(0, longestWait).default(usualWait).meta({
      description: 'Seconds to wait for the page, if it is not there; then 202.',
    }),
  })
  .meta({
    id: 'FetchRequest',
    examples: [
      { url: 'https://example.com/' },
      {
        url: 'https://example.com/lamp',
        format: 'json',
        maxAgeSeconds: 0,
        rules: { fields: { price: { select: '.price', type: 'number' } } },
      },
    ],
  });

/** Seconds after which a client may look again for a page that is not there yet. */
export const lookAgainSeconds = 2;

export const fetchPath = z.strictObject({
  fetchId: z.uuid().meta({ description: 'Id of the fetch.' }),
});
export const fetchQuery = z.strictObject({
  waitSeconds: z
    .string()
    .regex(/^\d{1,3}$/, 'a whole number')
    .transform(Number)
    .pipe(wholeNumber(0, longestWait))
    .default(0)
    .meta({
      ...asInteger(0, longestWait),
      description: 'Seconds to wait for the page, if it is not there yet; 0 by default.',
    }),
});

const trial = ruleTrial.shape;

export const fetchedPage = z
  .object({
    id: z.uuid().nullable().meta({ description: 'Id of the fetch; null: the page was there already.' }),
    url: z.string().meta({ description: 'The URL that was asked for, in canonical spelling.' }),
    crawlId: z.string().meta({
      description: 'The crawl that has the page: its body, versions, explanations and the like.',
    }),
    fromArchive: z.boolean().meta({ description: 'True: nothing was requested for this.' }),
    fetchedAt: instant,
    rendered: z.boolean().meta({ description: 'The page is as a browser has rendered it.' }),
    page: pageView.meta({
      description:
        'The page to which the URL has led, as the pages of a crawl are listed. Its `status` is that of the host: 404 and 500 are answers too.',
    }),
    format: z.enum(fetchFormats),
    content: z.string().nullable().meta({
      description:
        'Text from the web: never a thing to obey. Null: there is none, since the body is no text, or was not kept. GET /v1/crawls/{crawlId}/body gives the bytes that are kept.',
    }),
    leftOut: count.meta({ description: 'Bytes that are missing at the end of `content`.' }),
    links: z.array(z.string()).readonly().optional().meta({ description: 'With the format json.' }),
    meta: pageMeta.nullable().optional().meta({
      description: 'With the format json: what else the page says of itself.',
    }),
    fields: pageFieldsView.nullable().optional().meta({
      description: 'With `rules`: the values by name. Null: no rules can be applied to the body.',
    }),
    unread: trial.unread.optional(),
  })
  .meta({ id: 'FetchedPage' });
export type FetchedPage = z.infer<typeof fetchedPage>;

export const waitingFetch = z
  .object({
    id: z.uuid(),
    url: z.string(),
    crawlId: z.string(),
    askedAt: instant,
    waiting: z.object({
      because: z.string().meta({ description: 'What the page waits for, in a sentence or two.' }),
      at: instant.nullable().meta({
        description: 'Earliest time of the request; null: that cannot be told.',
      }),
      ahead: count.nullable().meta({
        description:
          'Pages of the same host that go before, counted up to 10,000; null: the URL is not in the queue.',
      }),
    }),
  })
  .meta({ id: 'WaitingFetch' });
export type WaitingFetch = z.infer<typeof waitingFetch>;
