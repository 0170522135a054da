/** Every decision on a URL, on the wire. */
import { z } from 'zod';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { decisionEffects, decisionSteps } from '../../domain/explain/decision.ts';
import { renderOutcomeNames } from '../../domain/rendering/outcome.ts';
import { bodyStages } from '../../domain/stage.ts';
import { urlKinds } from '../../domain/url-kind.ts';
import { attemptReasons, filterReasons, urlReasons } from '../../domain/url-reason.ts';
import { urlStates } from '../crawl.ts';
import { cutView } from './counts.ts';
import { nearDuplicate, revisit } from './page-details.ts';
import { count, instant, maxUrlInUrl } from './shared.ts';

export const explainQuery = z.strictObject({
  url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
});

const decision = z
  .object({
    step: z.enum(decisionSteps).meta({ description: 'What the decision is about.' }),
    verdict: z.string().meta({
      description:
        'What was decided, as a code: the rule, the filter, the class or the state. Later versions may add new codes.',
      examples: ['tracking-parameter', 'inside', 'pattern', 'disallowed', 'timeout', 'queued', 'host-parked'],
    }),
    effect: z.enum(decisionEffects).meta({
      description: 'Whether the decision let the URL pass, stopped it, delays it, or only gives information.',
    }),
    because: z.string().meta({ description: 'The decision in one sentence, for people.' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'The same as values for programs; which fields there are depends on `step`.' }),
  })
  .meta({ id: 'Decision' });

const look = z
  .object({ bytes: count, isKept: z.boolean().meta({ description: 'False: it is too large.' }) })
  .nullable();

const explainedRecord = z
  .object({
    state: z.enum(urlStates),
    kind: z.enum(urlKinds),
    reason: z.enum(urlReasons).nullable(),
    detail: z.string().nullable(),
    fetchUrl: z.string().meta({ description: 'The spelling of the URL that is sent to the server.' }),
    seed: z.boolean(),
    depth: z.int(),
    redirects: z.int().meta({
      description: 'Redirects that led to this URL; those before its last recrawl or redrive count as one.',
    }),
    priority: z.number(),
    discoveredAt: instant,
    discoveredFrom: z.string().nullable(),
    redirectedWith: z.int().nullable().meta({
      description:
        'Status of the redirect that led to the discovery of this URL; null: the URL was not found by a redirect.',
    }),
    dueMs: z.number().meta({
      description: 'Milliseconds until the URL is due, apart from its host; 0 or less: the URL is due.',
    }),
    fetchedAt: instant.nullable(),
    status: z.int().nullable(),
    contentType: z.string().nullable(),
    bytes: count,
    contentHash: z.string().nullable(),
    redirectTo: z.string().nullable(),
    redirectState: z
      .enum(urlStates)
      .nullable()
      .meta({ description: 'State of the URL in `redirectTo`; null: that URL is not part of this crawl.' }),
    truncated: z.string().nullable(),
    duplicateOf: z.string().nullable(),
    duplicateBy: z.enum(['body', 'text']).nullable(),
    revisitOf: revisit
      .nullable()
      .meta({ description: 'The crawl of the same tenant that had this body first; null: this one had.' }),
    rendering: z
      .object({
        reason: z.string(),
        outcome: z.enum(renderOutcomeNames).nullable(),
        rounds: z.int(),
        words: z.int().nullable(),
        links: z.int().nullable(),
        resources: z.array(z.object({ url: z.string(), type: z.string(), outcome: z.string() })).readonly(),
        refused: z.record(z.string(), count).readonly().meta({
          description:
            'Requests that the browser did not make, counted by what they were: POST, WebSocket, image …',
        }),
        navigation: z.string().nullable().meta({
          description: 'Where its scripts wanted to go instead, which is not followed; null: nowhere.',
        }),
        console: z.array(z.string()).readonly().meta({
          description: 'The first 20 errors and warnings of its console, and exceptions.',
        }),
        screenshot: look,
        pdf: look,
      })
      .nullable()
      .meta({
        description:
          'What became of the page in the rounds of a browser: why it was rendered, how that ended (null: it goes on), the words and links that it has without, what it asked for, requests that were refused by what they were, the first lines of its console, where its scripts wanted to go, and what was made of it; null: it was not to be rendered.',
      }),
    stillToDo: z.enum(bodyStages).nullable(),
    requests: z.int().meta({ description: 'Requests for the URL that were answered.' }),
    reclaims: z.int().meta({ description: 'Leases of the URL that were lost to a crash.' }),
    leaseHeld: z.boolean().meta({ description: 'True: the URL is in the slice that is being fetched now.' }),
    page: z
      .object({
        words: count,
        links: count,
        relevance: z
          .number()
          .nullable()
          .meta({ description: 'To the focus of the crawl, from 0 to 1; null: the crawl has none.' }),
        canonical: z.string().nullable(),
        nearDuplicateOf: nearDuplicate.nullable(),
        noindex: z.boolean(),
        nofollow: z.boolean(),
      })
      .nullable()
      .meta({ description: 'What the extraction found in the page. Null: the page was not read.' }),
    cut: cutView,
  })
  .meta({ id: 'ExplainedUrl' });

export const explanation = z
  .object({
    url: z.string().meta({ description: 'The spelling of the URL that would be sent to the server.' }),
    canonical: z.string(),
    key: z.string().meta({
      description: 'Key of the URL: the first 16 bytes of the SHA-256 of `canonical`, in hexadecimal.',
    }),
    host: z.string(),
    summary: z.string().meta({ description: 'The whole answer in one or two sentences.' }),
    decisions: z
      .array(decision)
      .meta({ description: 'Every decision about the URL, in order, as the present rules judge it.' }),
    scope: z
      .object({
        verdict: z.enum(['admit', 'outside', 'excluded']),
        reason: z.enum(filterReasons).nullable(),
        detail: z.string().nullable(),
        depth: z.int().meta({
          description:
            'Number of links from a seed; for a URL that the crawl has never met, the smallest possible number.',
        }),
        isSeed: z.boolean(),
        includedBy: z
          .string()
          .nullable()
          .meta({ description: 'The first include pattern that matches the URL; null: none does.' }),
      })
      .meta({ description: 'What the scope and the filters of the crawl say now.' }),
    record: explainedRecord.nullable().meta({ description: 'Null: the crawl has never met this URL.' }),
    attempts: z
      .array(
        z.object({
          at: instant,
          class: z.enum(attemptReasons),
          status: z.int().nullable(),
          message: z.string(),
        }),
      )
      .meta({ description: 'Requests for the URL that ended without a final outcome, oldest first.' }),
    deadLetter: z
      .object({
        class: z.enum(deadLetterClasses),
        status: z.int().nullable(),
        message: z.string(),
        attempts: z.int(),
        createdAt: instant,
      })
      .nullable(),
    robots: z
      .object({
        status: z
          .int()
          .nullable()
          .meta({ description: 'Status of the answer; null: robots.txt has not been read yet.' }),
        fetchedAt: instant.nullable(),
        ageMs: z.number().nullable().meta({ description: 'Milliseconds since robots.txt was fetched.' }),
        agent: z.string(),
        allowed: z.boolean().nullable(),
        rule: z.string().nullable(),
        line: z.int().nullable(),
        isCut: z.boolean().meta({ description: 'True: robots.txt is longer than the part that is read.' }),
      })
      .nullable(),
    next: z
      .object({
        at: instant
          .nullable()
          .meta({ description: 'Earliest possible time; null: the time cannot be predicted.' }),
        because: z.array(z.string()).meta({ description: 'What must happen first, one sentence each.' }),
      })
      .nullable()
      .meta({
        description:
          'When the URL will be, or would be, fetched; null: it will not be fetched, or not again.',
      }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanation>;
