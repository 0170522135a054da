/**
 * Requests of the command line to an API. A request is sent again when that is safe: when it never left, when it only
 * reads, or when it has an Idempotency-Key. A refusal of the API becomes one sentence.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { printable } from '../output/table.ts';

export interface ApiAddress {
  /** Without a slash at its end. */
  readonly url: string;
  /** Null: none is sent. */
  readonly key: string | null;
  /** Milliseconds for which a server that does not answer is asked again: a local stack may be starting a part anew. */
  readonly patienceMs: number;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
  /** The sentence for a server that does not answer. @param why such as `the connection was refused` */
  silent(why: string): string;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** How one request is made, if not as usual. */
export interface Asking {
  /** In place of that of the address. */
  readonly patienceMs?: number;
  /** Milliseconds within which the whole answer must have come. */
  readonly withinMs?: number;
  /** Ends the request; it is not sent again. */
  readonly signal?: AbortSignal;
}

export interface Sending extends Asking {
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function makes the body anew for each try; such a body is sent as it comes. */
  readonly body?: string | (() => AsyncIterable<Uint8Array>);
  /** The answer is a stream, which may take as long as it likes. */
  readonly streams?: boolean;
}

const usualMs = 60_000;
const retryMs = 500;

/** @returns the answer, whatever its status. @throws CommandError if there is no answer */
export async function sendRequest(
  address: ApiAddress,
  method: string,
  path: string,
  sending: Sending = {},
): Promise<Response> {
  const { query = {}, headers = {}, body, streams = false, withinMs = usualMs } = sending;
  const { patienceMs = address.patienceMs } = sending;
  const ends = [address.signal, sending.signal].filter((signal) => signal !== undefined);
  const url = new URL(address.url + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  // With an Idempotency-Key the API does the request once, however often it comes.
  const repeatable = method === 'GET' || Object.keys(headers).some((name) => /^idempotency-key$/i.test(name));
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...(address.key !== null && { authorization: `Bearer ${address.key}` }), ...headers },
        ...bodyInit(body),
        signal: AbortSignal.any([...ends, ...(streams ? [] : [AbortSignal.timeout(withinMs)])]),
      });
    } catch (error) {
      const { refused, why } = failureOf(error);
      const isEnded = ends.some(({ aborted }) => aborted);
      if (isEnded || !(refused || repeatable) || performance.now() >= deadline)
        throw new NoAnswerError(address.silent(why), { cause: error });
    }
    await sleep(retryMs);
  }
}

const bodyInit = (body: Sending['body']): RequestInit =>
  body === undefined
    ? {}
    : typeof body === 'string'
      ? { body }
      : { body: ReadableStream.from<Uint8Array>(body()), duplex: 'half' };

const networkFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  UND_ERR_SOCKET: 'the connection was cut',
};

/** The fault of a fetch stands in its cause. `refused`: the request was not even sent. */
export function failureOf(error: unknown): { readonly refused: boolean; readonly why: string } {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { refused: false, why: 'it took too long' };
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = cause instanceof Error && cause.message !== '' ? cause.message : 'the request failed';
  return { refused: code === 'ECONNREFUSED', why: networkFailures[code] ?? printable(message).slice(0, 200) };
}

const isJson = (response: Response): boolean =>
  /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '');

/** The body of a success. @throws CommandError with the words of the API */
export async function jsonOf(address: ApiAddress, response: Response): Promise<unknown> {
  if (!response.ok) throw await refusalOf(address, response);
  if (!isJson(response))
    throw notOrbweaver(address, `its answer (status ${String(response.status)}) is not JSON`);
  return bodyOf(address, response);
}

async function bodyOf(address: ApiAddress, response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) throw notOrbweaver(address, 'its answer is not valid JSON');
    throw new NoAnswerError(address.silent(failureOf(error).why), { cause: error });
  }
}

/**
 * The detail of a problem document, as an error. Bad use: the input is wrong; failed: the API refused; broken: the API
 * has a fault.
 */
export async function refusalOf(address: ApiAddress, response: Response): Promise<CommandError> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const to = printable(response.headers.get('location') ?? '?');
    return notOrbweaver(address, `it redirects to ${to}`);
  }
  const body: unknown = isJson(response) ? await bodyOf(address, response) : null;
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null;
  if (typeof detail !== 'string') {
    const strange = notOrbweaver(address, `it answers with status ${String(status)}`);
    // A proxy in front of a server that is away words it so.
    return status >= 500 ? new NoAnswerError(strange.message) : strange;
  }
  const lines = [printable(detail).slice(0, 1_000), ...rejectedLines(body)];
  const pauseMs = retryAfterMs(response.headers.get('retry-after'), Date.now()) ?? 0;
  return new RefusedError(lines.join('\n'), status, pauseMs);
}

const shownRejected = 20;
const rejected = z.object({ rejected: z.array(z.object({ url: z.string(), reason: z.string() })) });

/** Seeds that a problem lists. */
function rejectedLines(body: unknown): string[] {
  const { data } = rejected.safeParse(body);
  return (data?.rejected ?? [])
    .slice(0, shownRejected)
    .map((seed) => printable(`  ${rejectionLine(seed)}`).slice(0, 500));
}

/** Without the class of the reason, which is for programs. */
export const rejectionLine = ({ url, reason }: { readonly url: string; readonly reason: string }): string =>
  `${JSON.stringify(url)} ${reason.replace(/^[\w-]+: it /, '')}`;

/** No answer came, or not all of it. */
export class NoAnswerError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, exitCodes.broken, options);
  }
}

/** The API answered with a refusal. */
export class RefusedError extends CommandError {
  readonly status: number;
  /** The pause that the API asks for (Retry-After), in milliseconds; 0: none. */
  readonly retryAfterMs: number;

  constructor(message: string, status: number, pauseMs = 0) {
    super(message, exitCodeOf(status));
    this.status = status;
    this.retryAfterMs = pauseMs;
  }
}

/** Whether the trouble may pass by itself: a server that is away or too busy may come back; a refusal stays. */
export const mayPass = (error: unknown): error is CommandError =>
  error instanceof RefusedError
    ? error.status === 429 || error.status >= 500
    : error instanceof NoAnswerError;

const exitCodeOf = (status: number): ExitCode =>
  status >= 500
    ? exitCodes.broken
    : status === 400 || status === 404 || status === 422
      ? exitCodes.badUse
      : exitCodes.failed;

export const notOrbweaver = ({ url }: ApiAddress, why: string): CommandError =>
  new CommandError(
    `${url} is not an Orbweaver API that this version understands: ${why}. Check --server.`,
    exitCodes.broken,
  );
