/** Everything that is no success, on the wire (RFC 9457). */
import { z } from 'zod';
import { rejectedSeed } from './crawls.ts';

const problemType = z
  .enum([
    'about:blank',
    'urn:orbweaver:problem:unauthenticated',
    'urn:orbweaver:problem:forbidden',
    'urn:orbweaver:problem:rate-limited',
    'urn:orbweaver:problem:quota-spent',
    'urn:orbweaver:problem:idempotency-key-reused',
    'urn:orbweaver:problem:idempotency-key-pending',
    'urn:orbweaver:problem:idempotency-key-spent',
    'urn:orbweaver:problem:precondition-failed',
    'urn:orbweaver:problem:invalid-input',
    'urn:orbweaver:problem:invalid-cursor',
  ])
  .meta({ description: 'about:blank: the status says all there is to say of its kind.' });
export type ProblemType = z.infer<typeof problemType>;

/** RFC 9457. */
export const problem = z
  .object({
    type: problemType,
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    requestId: z.string().optional().meta({ description: '`X-Request-Id` of this answer, as in the log.' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    rejected: z.array(rejectedSeed).optional().meta({ description: 'The first 100 of them.' }),
    quota: z.string().optional().meta({ description: 'Of quota-spent and rate-limited: which quota.' }),
    etag: z.string().optional().meta({ description: 'Of precondition-failed: the ETag it has now.' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;
