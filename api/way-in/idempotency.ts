/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a POST that is sent again with its key is done once.
 *
 * The key is reserved before the request is done, and the answer is kept for a day. No request is carried out twice. If
 * the first request was cut off because its process was killed, nobody knows how far it came: the key stays reserved,
 * and a client that repeats the request is told to look. The same holds after a 5xx. A refusal (4xx, or no free turn)
 * changed nothing, and frees the key.
 */
import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  dropOldAnswers,
  freeIdempotencyKey,
  keepAnswer,
  reserveIdempotencyKey,
  type KnownAnswer,
} from '../../storage/tenancy/index.ts';
import { callerIfAny } from './caller.ts';
import { HttpProblem } from './problem.ts';
import { turnsOf } from './turns.ts';

/** Printable ASCII without spaces. */
const keyForm = /^[\x21-\x7e]{1,255}$/;
/** Answers of these paths hold a secret that is shown once. */
const secretPaths = /^\/v1\/(?:keys|webhooks|sign-in-links|console-session)\/?$/i;
/** Characters of an answer that is kept, at most: no quota counts them, and a caller may send many keys a second. */
const longestAnswer = 16 * 1024;
/** Requests between two clean-ups of old answers. */
const tidyEvery = 200;

/** Mount behind the gate and the body parser. Streamed bodies are not covered. */
export function idempotency(pool: Pool, log: Logger): RequestHandler {
  let sinceTidied = 0;
  const tidy = (): void => {
    if (++sinceTidied < tidyEvery) return;
    sinceTidied = 0;
    dropOldAnswers(pool).catch((error: unknown) => {
      log.warn({ err: error }, 'old answers could not be deleted');
    });
  };

  return async (request, response, next) => {
    const key = request.headers['idempotency-key'];
    const caller = callerIfAny(request);
    if (request.method !== 'POST' || key === undefined || caller === undefined) {
      next();
      return;
    }
    if (typeof key !== 'string' || !keyForm.test(key)) {
      throw new HttpProblem(400, 'Idempotency-Key: must have 1 to 255 printable characters, without spaces.');
    }
    // Null: the request has no body.
    if (request.is('application/json') === false) {
      throw new HttpProblem(
        400,
        'Idempotency-Key: only requests with a JSON body, or without a body, can have one.',
      );
    }
    const place = [caller.tenantId, caller.id, key] as const;
    const requestHash = hashOf(request);
    const reserve = async () => (await reserveIdempotencyKey(pool, ...place, requestHash))[0];
    const known = (await reserve()) ?? (await reserve());
    if (known?.is_first === true) {
      tidy();
      keepWhatIsAnswered(pool, log, request, response, place);
      next();
      return;
    }
    answerAgain(response, known);
  };
}

const asText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

const hashOf = (request: Request): Buffer =>
  hash(
    'sha256',
    JSON.stringify([request.method, request.originalUrl, request.body ?? null], asText),
    'buffer',
  );

function answerAgain(response: Response, known: KnownAnswer | undefined): void {
  if (known?.same_request === false) {
    const detail = 'This Idempotency-Key was used for another request. Use a new key for each request.';
    throw new HttpProblem(422, detail, { kind: 'idempotency-key-reused' });
  }
  if (known === undefined || known.status === null) {
    response.setHeader('Retry-After', '2');
    const detail =
      'The first request with this Idempotency-Key is still running or was cut off, so nothing was done again. If this answer stays the same, check whether the first request was carried out, and use a new key if it was not.';
    throw new HttpProblem(409, detail, { kind: 'idempotency-key-pending' });
  }
  if (known.body === null) {
    const detail =
      'The first request with this Idempotency-Key was carried out. Its answer was not kept, because it contained a secret, which is shown only once, or was too long. If you have lost a secret, revoke what was created and create it anew.';
    throw new HttpProblem(409, detail, { kind: 'idempotency-key-spent' });
  }
  response.status(known.status).setHeader('Idempotent-Replayed', 'true');
  if (known.location !== null) response.setHeader('Location', known.location);
  response.type(known.content_type ?? 'application/json').send(known.body);
}

/** The answer leaves only when it is kept: a client that has the answer can rely on getting it again. */
function keepWhatIsAnswered(
  pool: Pool,
  log: Logger,
  request: Request,
  response: Response,
  place: readonly [tenantId: number, caller: string, key: string],
): void {
  const isSecret = secretPaths.test(request.path);
  const send = response.send.bind(response);
  response.send = (body: unknown) => {
    response.send = send;
    if (typeof body === 'object' && body !== null && !Buffer.isBuffer(body)) {
      // Express calls this again, with text.
      response.send = keep;
      return response.json(body);
    }
    return keep(body);
  };
  const keep = (body: unknown): Response => {
    response.send = send;
    const { statusCode } = response;
    const isKept = typeof body === 'string' && body.length <= longestAnswer && !isSecret;
    const kept = async (): Promise<void> => {
      if (statusCode < 400) {
        const type = response.get('Content-Type') ?? 'application/json';
        const location = response.get('Location') ?? null;
        const [tenantId, caller, key] = place;
        const answer = { status: statusCode, contentType: type, location, body: isKept ? body : null };
        await keepAnswer(pool, { tenantId, caller, key, ...answer });
      } else if (statusCode < 500 || turnsOf(request)?.isTurnedAway === true) {
        await freeIdempotencyKey(pool, ...place);
      }
    };
    kept()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'an answer could not be stored for its idempotency key');
      })
      .finally(() => send(body));
    return response;
  };
}
