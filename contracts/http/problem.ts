/** Every answer that is not a success, on the wire (RFC 9457). */
import { z } from 'zod';
import { urlReasons } from '../../domain/url-reason.ts';
import { rejectedSeed } from './crawls.ts';

/**
 * Kinds of problems by the statuses they come with. A refusal that names no kind has the first kind of its status.
 * docs/api.md says what each kind means.
 */
export const problemKinds = {
  'malformed-request': [400],
  'invalid-input': [422, 400],
  'invalid-cursor': [400],
  unauthenticated: [401],
  forbidden: [403],
  'cross-site': [403],
  'not-found': [404],
  'unknown-route': [404],
  'method-not-allowed': [405],
  'request-timeout': [408],
  conflict: [409],
  'idempotency-key-pending': [409],
  'idempotency-key-spent': [409],
  'precondition-failed': [412],
  'body-too-large': [413],
  'unsupported-media-type': [415],
  misdirected: [421],
  'idempotency-key-reused': [422],
  'page-refused': [422],
  'rate-limited': [429],
  'quota-spent': [429, 403],
  'head-too-large': [431],
  internal: [500],
  'page-failed': [502],
  unavailable: [503],
  busy: [503],
} as const satisfies Readonly<Record<string, readonly number[]>>;
export type ProblemKind = keyof typeof problemKinds;
export type ProblemType = `urn:orbweaver:problem:${ProblemKind}`;

/** The same for every problem of a kind (RFC 9457 section 3.1.3). */
export const problemTitleOf = (kind: ProblemKind): string =>
  kind.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('-', ' ');

export const problemTypeOf = (kind: ProblemKind): ProblemType => `urn:orbweaver:problem:${kind}`;

const kinds = Object.keys(problemKinds) as ProblemKind[];

/** For a status that no kind has (the body parser may ask for any): whose fault it is. */
export function usualKind(status: number): ProblemKind {
  const usual = kinds.find((kind) => (problemKinds[kind] as readonly number[]).includes(status));
  return usual ?? (status < 500 ? 'malformed-request' : 'internal');
}

const problemType = z.enum(kinds.map(problemTypeOf)).meta({
  description: 'Code by which programs tell problems apart; docs/api.md says what each code means.',
});

/** RFC 9457. */
export const problem = z
  .object({
    type: problemType,
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    requestId: z
      .string()
      .optional()
      .meta({ description: '`X-Request-Id` of this answer; the log has the same id.' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    rejected: z.array(rejectedSeed).optional().meta({ description: 'The first 100 of them.' }),
    quota: z.string().optional().meta({ description: 'With code quota-spent or rate-limited: which quota.' }),
    reason: z.enum(urlReasons).optional().meta({
      description: 'With code page-refused or page-failed: why, as a code; `detail` has it in words.',
    }),
    etag: z.string().optional().meta({ description: 'With code precondition-failed: the present ETag.' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;
