/** Answers and bodies that are too long to be held: read and sent as they come, and given up when nothing moves. */
import {
  failureOf,
  jsonOf,
  NoAnswerError,
  notOrbweaver,
  refusalOf,
  sendRequest,
  type ApiAddress,
  type Sending,
} from './request.ts';
import { grouped } from '../../domain/counted.ts';

/** Milliseconds without a byte after which a stream is given up. */
const stillMs = 60_000;

interface Watch {
  readonly signal: AbortSignal;
  moved(): void;
  /** Stops the clock until the next byte. */
  rest(): void;
  /** Stops the clock for good. */
  stop(): void;
}

/** Its `signal` aborts once no byte has moved for `ms` milliseconds. */
function watch(ms: number): Watch {
  const controller = new AbortController();
  const giveUp = (): void => {
    isOver = true;
    controller.abort(new DOMException('no byte came for too long', 'TimeoutError'));
  };
  let isOver = false;
  let timer = setTimeout(giveUp, ms);
  return {
    signal: controller.signal,
    moved: () => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(giveUp, ms);
    },
    rest: () => {
      clearTimeout(timer);
    },
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

export interface Taken {
  readonly status: number;
  /** To be read once. @throws CommandError if the stream breaks off before its end */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * @param type the media type that the answer must have, if it has a body
 * @param mostStillMs milliseconds without a byte after which the stream counts as broken off. @throws CommandError with
 * the words of the API
 */
export async function takeStream(
  address: ApiAddress,
  path: string,
  type: string,
  sending: Pick<Sending, 'query' | 'headers'>,
  mostStillMs = stillMs,
): Promise<Taken> {
  const watching = watch(mostStillMs);
  let response: Response;
  try {
    response = await sendRequest(address, 'GET', path, {
      ...sending,
      streams: true,
      signal: watching.signal,
    });
    if (!response.ok) throw await refusalOf(address, response);
    const given = response.headers.get('content-type') ?? '';
    if (response.status !== 204 && !given.toLowerCase().startsWith(type))
      throw notOrbweaver(address, `its answer (status ${String(response.status)}) is not ${type}`);
  } catch (error) {
    watching.stop();
    throw error;
  }
  const { body, status } = response;
  const read = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        // The time that the reader takes is not the server's.
        watching.rest();
        bytes += chunk.length;
        yield chunk;
        watching.moved();
      }
    } catch (error) {
      const why = watching.signal.aborted ? 'no further byte came for too long' : failureOf(error).why;
      throw new NoAnswerError(`The answer broke off after ${grouped(bytes)} bytes: ${why}.`, {
        cause: error,
      });
    } finally {
      watching.stop();
    }
  };
  return { status, chunks: read() };
}

/** The JSON of the answer. @throws CommandError with the words of the API, or what the body itself throws */
export async function sendStream(
  address: ApiAddress,
  path: string,
  type: string,
  body: () => AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const watching = watch(stillMs);
  let unread: { readonly why: unknown } | null = null;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    // The time that our own source takes is not the server's.
    watching.rest();
    const chunks = body()[Symbol.asyncIterator]();
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        unread = { why: error };
        throw error;
      });
      watching.moved();
      if (next.done === true) return;
      yield next.value;
      watching.rest();
    }
  };
  try {
    const headers = { 'content-type': type };
    const sending = { headers, body: watched, streams: true, signal: watching.signal };
    return await jsonOf(address, await sendRequest(address, 'POST', path, sending));
  } catch (error) {
    // A body that cannot be read is no fault of the server.
    throw (unread as { readonly why: unknown } | null)?.why ?? error;
  } finally {
    watching.stop();
  }
}

export interface ServerSentEvent {
  /** The id of this event itself; null: it has none. */
  readonly id: string | null;
  readonly kind: string;
  readonly data: string;
}

/**
 * Reads server-sent events (HTML standard, section 9.2.6) from the bytes of an answer. Leaves out comments, and an event
 * that was cut off.
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | null = null;
  let kind = 'message';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A line feed may still follow a carriage return at the very end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, kind, data: data.join('\n') };
        [id, kind, data] = [null, 'message', []];
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'id') id = value;
      else if (field === 'event') kind = value;
      else if (field === 'data') data.push(value);
    }
  }
}
