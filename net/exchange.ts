/**
 * One request and its response, as undici's dispatcher reports it.
 *
 *   waiting → sent → head → settled
 *
 * waiting: for a connection, or behind another request of the origin; nothing has left.
 * sent:    the request is written, once: undici would send again what an HTTP/2 server refused, which is aborted here,
 *          since the pace of a host counts every request that reaches it.
 * head:    the response's head has come. A body that ends early from here on leaves a response marked `incomplete`;
 *          only the time limit and broken framing still make a fault.
 * settled: the promise has its answer; what undici still reports is of no interest. Where the body was not read to its
 *          end the connection is destroyed, so that nobody pays for the rest.
 */
import type { Dispatcher } from 'undici';
import type { FetchLimits, FetchResponse, FetchResult } from '../contracts/fetching.ts';
import type { Connection } from './connector.ts';
import { lateFault } from './connector.ts';
import { CodingStream, decode, readContentEncoding, type Coding, type Decoded } from './content-coding.ts';
import { exchangeFault, NetFault } from './net-fault.ts';

export interface ExchangeContext {
  /** host:port, for messages. */
  readonly where: string;
  readonly limits: FetchLimits;
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly maySend: (() => boolean) | undefined;
  readonly connection: () => Connection | undefined;
}

/** Coded bytes gathered for one synchronous decode; longer bodies are decoded while they come. */
const gatheredBytes = 256 * 1024;
/** Bytes of a redirect's body read to keep its connection; longer ones cost more than a new connection. */
const drainedBytes = 16 * 1024;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Head = Pick<FetchResponse, 'status' | 'headers' | 'headAt' | 'remoteAddress'>;

export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects only where the caller aborts or this machine fails. */
  readonly result: Promise<FetchResult>;
  readonly #context: ExchangeContext;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: () => void;
  #resolve!: (result: FetchResult) => void;
  #reject!: (reason: unknown) => void;
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  /** Bytes of the request have left. A start alone says less: undici also starts on sessions it then finds closed. */
  #sent = false;

  #head: Head | null = null;
  /** Whether the body is wanted: not of redirects and 304. */
  #kept = true;
  /** Applied to the body, outermost last; null: cannot be undone. */
  #codings: readonly Coding[] | null = [];
  /** Body bytes as they came; emptied when `#stream` takes over. */
  #chunks: Buffer[] = [];
  #wireBytes = 0;
  #stream: CodingStream | null = null;
  /** The network's part is over; a decode may still be running. */
  #ended = false;

  constructor(context: ExchangeContext) {
    this.#context = context;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      this.#onLate();
    }, context.limits.totalTimeoutMs);
    this.#onAbort = () => {
      this.#throw(context.signal?.reason);
    };
    context.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('the exchange is over'));
    } else if (this.#sent) {
      this.#fail(new NetFault('reset', `${this.#context.where} turned the HTTP/2 request away unanswered.`));
      controller.abort(new Error('a request is sent once'));
    } else if (this.#context.maySend?.() === false) {
      this.#throw(this.#context.signal?.reason ?? new Error('the request was withheld'));
      controller.abort(new Error('the request was withheld'));
    } else {
      this.#controller = controller;
    }
  }

  onRequestSent(): void {
    this.#sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    fields: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.#settled) return;
    const headers = joinFields(fields);
    const remoteAddress = this.#context.connection()?.remoteAddress ?? null;
    this.#head = { status, headers, headAt: performance.now(), remoteAddress };
    this.#kept = status !== 304 && !redirects.has(status);
    this.#codings = readContentEncoding(headers['content-encoding']);
    if (!this.#kept && Number(headers['content-length'] ?? 0) > drainedBytes) this.#answer(empty);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#wireBytes += chunk.length;
    if (!this.#kept) {
      if (this.#wireBytes > drainedBytes) this.#answer(empty);
      return;
    }
    if (this.#stream !== null) {
      this.#feed(this.#stream, controller, chunk);
      return;
    }
    this.#chunks.push(chunk);
    if (this.#codings === null || this.#codings.length === 0) {
      if (this.#wireBytes > this.#context.limits.maxBodyBytes) this.#answer(this.#plainBody('too-large'));
    } else if (this.#wireBytes > gatheredBytes) {
      this.#startStream(controller, this.#codings);
    }
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return;
    const { where, maxHeaderBytes } = this.#context;
    const reason = exchangeFault(error, where, this.#head !== null, maxHeaderBytes);
    if (!(reason instanceof NetFault)) this.#throw(reason);
    else if (this.#head === null || reason.fault === 'protocol') this.#fail(reason);
    else this.#end('incomplete');
  }

  #startStream(controller: Dispatcher.DispatchController, codings: readonly Coding[]): void {
    const gathered = Buffer.concat(this.#chunks);
    this.#chunks = [];
    const outermost = codings.at(-1) ?? 'gzip';
    this.#stream = new CodingStream(outermost, gathered, this.#context.limits.maxBodyBytes);
    this.#feed(this.#stream, controller, gathered);
  }

  /** Hands bytes to the decoder; reading pauses while it is behind and ends once it has enough. */
  #feed(stream: CodingStream, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (stream.write(chunk) && !stream.over) return;
    controller.pause();
    void stream.drained().then(() => {
      if (this.#ended || this.#settled) return;
      if (stream.over) this.#end(false);
      else controller.resume();
    });
  }

  /** The body is here as far as it will come. */
  #end(networkCut: false | 'incomplete'): void {
    if (this.#ended || this.#settled) return;
    this.#ended = true;
    const endAt = performance.now();
    if (!this.#kept) {
      this.#answer(empty, endAt);
    } else if (this.#stream === null && (this.#codings === null || this.#codings.length === 0)) {
      this.#answer(this.#plainBody(this.#codings === null ? 'bad-encoding' : networkCut), endAt);
    } else {
      this.#decoded().then(
        (decoded) => {
          this.#answer({ body: decoded.body, cut: decoded.cut === false ? networkCut : decoded.cut }, endAt);
        },
        (error: unknown) => {
          this.#throw(error);
        },
      );
    }
  }

  async #decoded(): Promise<Decoded> {
    const codings = this.#codings ?? [];
    const { maxBodyBytes } = this.#context.limits;
    if (this.#stream === null) return decode(codings, joined(this.#chunks), maxBodyBytes);
    const outer = await this.#stream.end();
    const inner = await decode(codings.slice(0, -1), outer.body, maxBodyBytes);
    return { body: inner.body, cut: outer.cut === false ? inner.cut : outer.cut };
  }

  #plainBody(cut: Decoded['cut']): Decoded {
    const body = joined(this.#chunks);
    const { maxBodyBytes } = this.#context.limits;
    return body.length > maxBodyBytes
      ? { body: body.subarray(0, maxBodyBytes), cut: 'too-large' }
      : { body, cut };
  }

  #onLate(): void {
    const { where, limits, connection } = this.#context;
    const limit = limits.totalTimeoutMs;
    if (this.#head !== null && !this.#kept) {
      // A redirect or 304 has said all it has to say; its body is not waited for.
      this.#answer(empty);
    } else if (this.#head !== null) {
      this.#fail(new NetFault('timeout', `${where} did not finish its response within ${String(limit)} ms.`));
    } else if (this.#sent) {
      this.#fail(new NetFault('timeout', `${where} did not answer within ${String(limit)} ms.`));
    } else {
      this.#fail(lateFault(connection()?.phase ?? 'open', where, limit));
    }
  }

  #answer({ body, cut }: Decoded, endAt = performance.now()): void {
    if (this.#head === null) return;
    const { status, headers, headAt, remoteAddress } = this.#head;
    const wireBytes = this.#wireBytes;
    this.#resolve({
      kind: 'response',
      status,
      headers,
      body,
      truncated: cut,
      wireBytes,
      headAt,
      endAt,
      remoteAddress,
    });
    this.#settle();
  }

  #fail({ fault, message }: NetFault): void {
    this.#resolve({ kind: 'fault', fault, message, endAt: performance.now() });
    this.#settle();
  }

  #throw(reason: unknown): void {
    this.#reject(reason);
    this.#settle();
  }

  /** Aborting destroys the connection; after a whole response it does nothing. */
  #settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#context.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller?.abort(new Error('the exchange is over'));
    this.#chunks = [];
  }
}

const empty: Decoded = { body: new Uint8Array(), cut: false };

/** One chunk, the usual case on fast links, is not copied. */
const joined = (chunks: readonly Buffer[]): Uint8Array =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);

function joinFields(fields: Record<string, string | string[] | undefined>): Record<string, string> {
  const joinedFields = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) joinedFields[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joinedFields;
}
