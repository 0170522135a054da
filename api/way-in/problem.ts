/** Errors as RFC 9457 problem documents: one shape for every answer that is not a success. */
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import {
  problemTitleOf,
  problemTypeOf,
  usualKind,
  type Problem,
  type ProblemKind,
} from '../../contracts/http/problem.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { BeyondBudget } from '../../content/aside.ts';
import { isDiskTrouble } from '../../engine/breakers/watched-blobs.ts';
import { NotHereYet } from '../../storage/archive/index.ts';
import { isStorageOutage, isTooLate } from '../../storage/postgres/index.ts';
import { SearchDown } from '../../storage/search/index.ts';

type Extras = Pick<Problem, 'errors' | 'rejected' | 'quota' | 'reason' | 'etag'> & {
  /** Absent: the usual kind of the status. */
  readonly kind?: ProblemKind;
};

/** Handlers throw an HttpProblem, and it becomes the answer. `detail` is one sentence for people. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly extras: Extras;

  constructor(status: number, detail: string, extras: Extras = {}) {
    super(detail);
    this.status = status;
    this.extras = extras;
  }
}

/** A problem in the words of a family of routes. */
export interface RenderedProblem {
  readonly status: number;
  readonly contentType: string;
  readonly body: object;
  /** Headers that are sent unless they are set already. */
  readonly headers?: Readonly<Record<string, string>>;
}
export type ProblemRenderer = (problem: Problem) => RenderedProblem;

const asProblemDocument: ProblemRenderer = (body) => ({
  status: body.status,
  contentType: 'application/problem+json',
  body,
});
const renderers = new WeakMap<Response, ProblemRenderer>();

/** Must be mounted before the gate, so that refusals of the gate have the same words as all others of these routes. */
export function rendersProblems(render: ProblemRenderer): RequestHandler {
  return (_request, response, next) => {
    renderers.set(response, render);
    next();
  };
}

export function sendProblem(response: Response, status: number, detail: string, extras: Extras = {}): void {
  const { kind = usualKind(status), ...more } = extras;
  const render = renderers.get(response) ?? asProblemDocument;
  const requestId = response.get('X-Request-Id');
  const rendered = render({
    type: problemTypeOf(kind),
    title: problemTitleOf(kind),
    status,
    detail,
    ...(requestId !== undefined && { requestId }),
    ...more,
  });
  for (const [name, value] of Object.entries(rendered.headers ?? {}))
    if (!response.hasHeader(name)) response.set(name, value);
  response.status(rendered.status).type(rendered.contentType).send(JSON.stringify(rendered.body));
}

/** Errors that a problem lists, at most: they repeat names that the client sent. */
const mostErrors = 100;
const longestWords = 500;
const shortened = (text: string): string =>
  text.length <= longestWords ? text : `${text.slice(0, longestWords).toWellFormed()}…`;

/**
 * Parses input, or throws a problem that names each wrong place, a hundred at most.
 * @param status 400 for queries, 422 for bodies
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, status: 400 | 422): z.output<S> {
  const parsed = schema.safeParse(input, { error: inWords });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, mostErrors).map((issue) => ({
    path: shortened(issue.path.map(String).join('.')),
    message: shortened(issue.message),
  }));
  const [first] = errors;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  const detail = `${where}${first?.message ?? 'the input is not valid'}`;
  throw new HttpProblem(status, detail, { kind: 'invalid-input', errors });
}

export const notFound: RequestHandler = (request, response) => {
  sendProblem(response, 404, `There is no route ${request.path}; /docs lists the routes.`, {
    kind: 'unknown-route',
  });
};

/** @throws HttpProblem: the client must read the list from its beginning */
export function badCursor(): never {
  throw new HttpProblem(400, 'cursor: not a cursor that this API gave.', { kind: 'invalid-cursor' });
}

export function methodNotAllowed(...allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    sendProblem(response, 405, `${request.method} is not allowed here; allowed: ${allowed.join(', ')}.`);
  };
}

/** Sentences for requests that the body parser could not read. */
const bodySentences: Readonly<Record<string, string>> = {
  'encoding.unsupported':
    'The content encoding of the body is not supported: send it without Content-Encoding.',
  'request.aborted': 'The request ended before its body was whole.',
  'request.size.invalid': 'The body is not as long as its Content-Length says.',
};

/** Express recognises error handlers by their four parameters. */
export const problemHandler: ErrorRequestHandler = (error: unknown, { log }, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  if (error instanceof HttpProblem) {
    sendProblem(response, error.status, error.message, error.extras);
  } else if (error instanceof URIError) {
    const detail =
      'The path is not valid: each % must be followed by two hex digits, which form UTF-8; write %25 for a % itself.';
    sendProblem(response, 400, detail);
  } else if (isClientFault(error)) {
    sendProblem(response, error.status, bodySentences[error.type ?? ''] ?? 'The request could not be read.');
  } else if (isStorageOutage(error)) {
    log.warn({ err: error }, 'Postgres does not answer');
    sendProblem(response, 503, 'The database does not answer. Try again soon.');
  } else if (error instanceof SearchDown) {
    log.warn({ err: error }, 'the index for searches does not answer');
    sendProblem(response, 503, 'The index for searches does not answer. Try again soon.');
  } else if (isTooLate(error)) {
    log.warn({ err: error }, 'a statement took too long');
    sendProblem(response, 503, 'The database took too long for this. Narrow it down, or try again soon.');
  } else if (error instanceof NotHereYet) {
    const detail =
      'The body is still on the machine that fetched it. It can be read here once its segment is closed and uploaded.';
    sendProblem(response, 503, detail);
  } else if (error instanceof BeyondBudget) {
    const detail = `The stored body takes too much ${error.overrun === 'too-slow' ? 'time' : 'memory'} to read, so this cannot be made of it.`;
    sendProblem(response, 422, detail);
  } else if (isDiskTrouble(error)) {
    log.warn({ err: error }, 'the store of bodies does not answer');
    sendProblem(response, 503, 'The store of bodies does not answer. Try again soon.');
  } else {
    log.error({ err: error }, 'request failed');
    sendProblem(response, 500, 'Something went wrong in the API; its log says what.');
  }
};

/** Errors of express and its body parser carry a status. */
function isClientFault(error: unknown): error is { status: number; type?: string } {
  return (
    error instanceof Error &&
    'status' in error &&
    typeof error.status === 'number' &&
    error.status >= 400 &&
    error.status < 500
  );
}
