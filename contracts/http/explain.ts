/** Every decision on a URL, on the wire. */
import { z } from 'zod';
import { deadLetterClasses } from '../../domain/dead-letter.ts';
import { decisionEffects, decisionSteps } from '../../domain/explain/decision.ts';
import { bodyStages } from '../../domain/stage.ts';
import { urlKinds } from '../../domain/url-kind.ts';
import { attemptReasons, filterReasons, urlReasons } from '../../domain/url-reason.ts';
import { urlStates } from '../crawl.ts';
import { cutView } from './crawls.ts';
import { count, instant, maxUrlInUrl } from './shared.ts';

export const explainQuery = z.strictObject({
  url: z.string().min(1).max(maxUrlInUrl).meta({ description: 'Any spelling of the URL.' }),
});

const decision = z
  .object({
    step: z.enum(decisionSteps).meta({ description: 'What it is about.' }),
    verdict: z.string().meta({
      description: 'A word of the step: the rule, the filter, the class, the state. New words may come.',
      examples: ['tracking-parameter', 'inside', 'pattern', 'disallowed', 'timeout', 'queued', 'host-parked'],
    }),
    effect: z.enum(decisionEffects).meta({
      description: 'It let the URL pass, ended its way, holds it up, or only tells something.',
    }),
    because: z.string().meta({ description: 'One sentence for people.' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'The same in figures; fields by step.' }),
  })
  .meta({ id: 'Decision' });

const explainedRecord = z
  .object({
    state: z.enum(urlStates),
    kind: z.enum(urlKinds),
    reason: z.enum(urlReasons).nullable(),
    detail: z.string().nullable(),
    fetchUrl: z.string().meta({ description: 'The spelling that is fetched.' }),
    seed: z.boolean(),
    depth: z.int(),
    redirects: z.int().meta({ description: 'Redirects that led here.' }),
    priority: z.number(),
    discoveredAt: instant,
    discoveredFrom: z.string().nullable(),
    redirectedWith: z
      .int()
      .nullable()
      .meta({ description: 'The status of the redirect by which it was found; null: by no redirect.' }),
    dueMs: z.number().meta({ description: 'Milliseconds until it is due of itself; at most 0: it is.' }),
    fetchedAt: instant.nullable(),
    status: z.int().nullable(),
    contentType: z.string().nullable(),
    bytes: count,
    contentHash: z.string().nullable(),
    redirectTo: z.string().nullable(),
    redirectState: z
      .enum(urlStates)
      .nullable()
      .meta({ description: 'Where that URL stands; null: it is no URL of this crawl.' }),
    truncated: z.string().nullable(),
    duplicateOf: z.string().nullable(),
    duplicateBy: z.enum(['body', 'text']).nullable(),
    stillToDo: z.enum(bodyStages).nullable(),
    requests: z.int().meta({ description: 'Requests answered.' }),
    reclaims: z.int().meta({ description: 'Leases lost to a crash.' }),
    leaseHeld: z.boolean().meta({ description: 'It is in the slice that is being fetched now.' }),
    page: z
      .object({
        words: count,
        links: count,
        canonical: z.string().nullable(),
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
    url: z.string().meta({ description: 'As it would be fetched.' }),
    canonical: z.string(),
    key: z.string().meta({ description: 'The seen-key, hex.' }),
    host: z.string(),
    summary: z.string().meta({ description: 'The answer in one sentence or two.' }),
    decisions: z
      .array(decision)
      .meta({ description: 'Everything that was decided on it, in order, judged as rules stand now.' }),
    scope: z
      .object({
        verdict: z.enum(['admit', 'outside', 'excluded']),
        reason: z.enum(filterReasons).nullable(),
        detail: z.string().nullable(),
        depth: z
          .int()
          .meta({ description: 'Links from a seed; of a URL never met: the fewest it could be.' }),
        isSeed: z.boolean(),
        includedBy: z.string().nullable().meta({ description: 'The first include pattern that matches it.' }),
      })
      .meta({ description: "What the crawl's scope and filters say, judged now." }),
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
      .meta({ description: 'Requests that ended without a final outcome, oldest first.' }),
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
        status: z.int().nullable().meta({ description: 'Null: robots.txt was not read yet.' }),
        fetchedAt: instant.nullable(),
        ageMs: z.number().nullable().meta({ description: 'Milliseconds since it was fetched.' }),
        agent: z.string(),
        allowed: z.boolean().nullable(),
        rule: z.string().nullable(),
        line: z.int().nullable(),
        isCut: z.boolean().meta({ description: 'It is longer than is read.' }),
      })
      .nullable(),
    next: z
      .object({
        at: instant.nullable().meta({ description: 'Earliest possible time; null: cannot be said.' }),
        because: z.array(z.string()).meta({ description: 'What stands before it, one sentence each.' }),
      })
      .nullable()
      .meta({
        description: 'When it will be, or would be, fetched; null: it will not be (again).',
      }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanation>;
