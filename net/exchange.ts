/**
 * One request and its response, as undici's dispatcher reports it.
 *
 *   waiting → sent → head → settled
 *
 * waiting: for a connection, or behind another request of the origin; nothing has left.
 * sent:    the request is written, once: undici would send again what an HTTP/2 server refused, which is aborted here,
 *          since the pace of a host counts every request that reaches it. Whether it may be sent again, later, is said
 *          by `repeatable`.
 * head:    the response's head has come. A body that ends early from here on leaves a response marked `incomplete`. Of
 *          a 2xx the time limit and broken framing still make a fault; any other status has said what matters.
 *          What is larger than `freeBytes` takes room in the process's budget first; while it waits in line for it, nothing
 *          is read and the time limit stands still, since that wait is ours.
 * settled: the promise has its answer; what undici still reports is of no interest. Where the body was not read to its
 *          end the HTTP/1.1 connection or the HTTP/2 stream is destroyed, so that nobody pays for the rest.
 */
import type { Dispatcher } from 'undici';
import {
  NoRoomForBody,
  type FetchLimits,
  type FetchResponse,
  type FetchResult,
} from '../contracts/fetching.ts';
import { freeBytes, type BodyBudget } from './body-budget.ts';
import { BodyClaim, Clock } from './body-claim.ts';
import type { Connection } from './connector.ts';
import { lateFault } from './connector.ts';
import {
  CodingStream,
  decode,
  decodeAtOnce,
  readContentEncoding,
  type Coding,
  type Decoded,
} from './content-coding.ts';
import { fieldValues, type FieldLines } from './fields.ts';
import { Gathered } from './gathered.ts';
import { forgetNewStream, H2Stream } from './h2-stream.ts';
import { exchangeFault, NetFault } from './net-fault.ts';

export interface ExchangeContext {
  /** host:port, for messages. */
  readonly where: string;
  readonly limits: FetchLimits;
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly maySend: ((address: string | null) => boolean) | undefined;
  /** Called when `maySend` has withheld the request. */
  readonly onWithheld: () => void;
  readonly wantsBody: ((headers: Readonly<Record<string, string>>) => boolean) | undefined;
  readonly connection: () => Connection | undefined;
  readonly budget: BodyBudget;
  /** Called when the server refuses to answer by HTTP/2. */
  readonly onHttp1Wanted: () => void;
}

/** Bytes of a redirect's body read to keep its connection; longer ones cost more than a new connection. */
const drainedBytes = 16 * 1024;
/** By how much a coded body may be longer on the wire than it is allowed to be undone: codings that shrink nothing. */
const codingOverheadBytes = 64 * 1024;
/** Interim responses (1xx) before the one that counts; a server that sends more is not going to send that. */
const maxInterimResponses = 32;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Head = Pick<FetchResponse, 'status' | 'headers' | 'headAt' | 'remoteAddress'>;

export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects only where the caller aborts or this machine fails. */
  readonly result: Promise<FetchResult>;
  readonly #context: ExchangeContext;
  readonly #clock: Clock;
  readonly #claim: BodyClaim;
  readonly #onAbort: () => void;
  #resolve!: (result: FetchResult) => void;
  #reject!: (reason: unknown) => void;
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  /** Bytes of the request have left. A start alone says less: undici also starts on sessions it then finds closed. */
  #sent = false;
  /** The connection has carried other requests before this one. */
  #reused = false;
  /** Bytes of an answer have come, if only of an interim one. */
  #answering = false;
  #interimResponses = 0;
  #h2: H2Stream | null = null;

  #head: Head | null = null;
  /** Whether the body is wanted: not of redirects and 304. */
  #kept = true;
  /** Applied to the body, outermost last; null: cannot be undone. */
  #codings: readonly Coding[] | null = [];
  /** Body bytes as they came; emptied when `#stream` takes over. */
  readonly #gathered = new Gathered();
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
    this.#clock = new Clock(context.limits.totalTimeoutMs, () => {
      this.#onLate();
    });
    this.#claim = new BodyClaim(context.budget, this.#clock, () => {
      this.#throw(new NoRoomForBody(context.where));
    });
    this.#onAbort = () => {
      this.#throw(context.signal?.reason);
    };
    context.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('the exchange is over'));
    } else if (this.#sent) {
      this.#failTurnedAway();
      controller.abort(new Error('a request is sent once'));
    } else if (this.#context.maySend?.(this.#context.connection()?.remoteAddress ?? null) === false) {
      this.#context.onWithheld();
      this.#throw(this.#context.signal?.reason ?? new Error('the request was withheld'));
      controller.abort(new Error('the request was withheld'));
    } else {
      this.#controller = controller;
      this.#reused = (this.#context.connection()?.requests ?? 0) > 0;
      forgetNewStream();
    }
  }

  onRequestSent(): void {
    this.#sent = true;
    this.#h2 = H2Stream.take();
    const connection = this.#context.connection();
    if (connection !== undefined) connection.requests++;
  }

  onResponseStarted(): void {
    this.#answering = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, fields: FieldLines): void {
    if (this.#settled) return;
    if (status < 200) {
      this.#onInterimResponse();
      return;
    }
    const headers = fieldValues(this.#h2?.lines ?? fields);
    const remoteAddress = this.#context.connection()?.remoteAddress ?? null;
    this.#head = { status, headers, headAt: performance.now(), remoteAddress };
    const unwanted = isSuccess(status) && this.#context.wantsBody?.(headers) === false;
    this.#kept = status !== 304 && !redirects.has(status) && !unwanted;
    this.#codings = readCodings(headers['content-encoding'], headers['transfer-encoding']);
    if (!this.#kept && Number(headers['content-length'] ?? 0) > drainedBytes) this.#answer(empty);
  }

  /** By sending it again undici says that the server has not looked at the request (RFC 9113 section 8.7). */
  #failTurnedAway(): void {
    const calm = this.#h2?.wantsCalm === true;
    if (this.#h2?.wantsHttp1 === true) this.#context.onHttp1Wanted();
    const why = calm ? ' and asked for calm' : '';
    const message = `${this.#context.where} turned the HTTP/2 request away unanswered${why}.`;
    this.#fail(new NetFault('reset', message), !calm);
  }

  #onInterimResponse(): void {
    this.#answering = true;
    if (++this.#interimResponses <= maxInterimResponses) return;
    const limit = String(maxInterimResponses);
    this.#fail(new NetFault('protocol', `${this.#context.where} sent more than ${limit} interim responses.`));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled || this.#ended) return;
    this.#wireBytes += chunk.length;
    if (!this.#kept) {
      if (this.#wireBytes > drainedBytes) this.#answer(empty);
      return;
    }
    if (this.#stream !== null) {
      const most = this.#context.limits.maxBodyBytes + codingOverheadBytes;
      if (this.#wireBytes > most) this.#end('too-large');
      else this.#feed(this.#stream, controller, chunk);
      return;
    }
    this.#gathered.push(chunk);
    const codings = this.#codings ?? [];
    if (codings.length === 0 && this.#wireBytes > this.#context.limits.maxBodyBytes) {
      this.#answer(this.#plainBody('too-large'));
    } else if (this.#wireBytes > freeBytes) {
      this.#makeRoom(controller, codings);
    }
  }

  /** The body is a large one: reading goes on when there is room for all of the body. */
  #makeRoom(controller: Dispatcher.DispatchController, codings: readonly Coding[]): void {
    if (this.#claim.made) return;
    const bytes = codings.length === 0 ? this.#plainBytes() : this.#decodedBytes(codings);
    const goOn = (): void => {
      if (codings.length > 0 && !this.#ended && !this.#settled) this.#startStream(controller, codings);
    };
    if (this.#claim.take(bytes)) {
      goOn();
    } else if (this.#head !== null && !isSuccess(this.#head.status)) {
      // The status of an error has said all that matters.
      this.#answer({ ...empty, cut: 'incomplete' });
    } else {
      controller.pause();
      this.#claim.wait(bytes, () => {
        controller.resume();
        goOn();
      });
    }
  }

  /** Bytes that a body without codings may take: its Content-Length, if HTTP holds the server to that, else the limit. */
  #plainBytes(): number {
    const { maxBodyBytes } = this.#context.limits;
    const { 'content-length': length, 'transfer-encoding': transfer } = this.#head?.headers ?? {};
    const declared = transfer === undefined ? Number(length) : NaN;
    return Number.isSafeInteger(declared) ? Math.min(declared, maxBodyBytes) : maxBodyBytes;
  }

  /** Undoing one of several codings has two bodies in hand. */
  #decodedBytes(codings: readonly Coding[]): number {
    return this.#context.limits.maxBodyBytes * Math.min(codings.length, 2);
  }

  onResponseEnd(): void {
    this.#end(this.#h2?.wasReset === true ? 'incomplete' : false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return;
    const { where, maxHeaderBytes } = this.#context;
    const reason = exchangeFault(error, where, this.#head !== null, maxHeaderBytes);
    if (!(reason instanceof NetFault)) this.#throw(reason);
    else if (this.#head === null && this.#h2?.wantsHttp1 === true) this.#failTurnedAway();
    else if (this.#head === null) this.#fail(reason, this.#wentUnheard(reason));
    else if (reason.fault === 'protocol' && isSuccess(this.#head.status)) this.#fail(reason);
    else this.#end('incomplete');
  }

  /**
   * A connection kept from an earlier request went away without a byte of an answer: the server has most likely closed
   * it as idle while this request was on its way (RFC 9112 section 9.3.1).
   */
  #wentUnheard(reason: NetFault): boolean {
    return reason.connectionLost && this.#reused && !this.#answering;
  }

  #startStream(controller: Dispatcher.DispatchController, codings: readonly Coding[]): void {
    const gathered = this.#gathered.take();
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
  #end(networkCut: false | 'incomplete' | 'too-large'): void {
    if (this.#ended || this.#settled) return;
    this.#ended = true;
    // What broke off in line is small, and may be decoded yet.
    if (this.#claim.inLine) this.#claim.release();
    const endAt = performance.now();
    if (!this.#kept) {
      this.#answer(empty, endAt);
    } else if (this.#stream === null && (this.#codings === null || this.#codings.length === 0)) {
      this.#answer(this.#plainBody(this.#codings === null ? 'bad-encoding' : networkCut), endAt);
    } else {
      this.#decoded().then(
        (decoded) => {
          const own = networkCut === 'too-large' || decoded.cut === false;
          this.#answer({ body: decoded.body, cut: own ? networkCut : decoded.cut }, endAt);
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
    if (this.#stream === null) return this.#decodedAtOnce(codings);
    const outer = await this.#stream.end();
    const inner = await decode(codings.slice(0, -1), outer.body, maxBodyBytes);
    return { body: inner.body, cut: outer.cut === false ? inner.cut : outer.cut };
  }

  /** A body that is small on the wire may be large once decoded. If there is no room for that, decoding finds out. */
  async #decodedAtOnce(codings: readonly Coding[]): Promise<Decoded> {
    const { maxBodyBytes } = this.#context.limits;
    const wire = this.#gathered.take();
    const bytes = this.#decodedBytes(codings);
    if (!this.#claim.take(bytes)) {
      const small = decodeAtOnce(codings, wire, Math.min(freeBytes, maxBodyBytes));
      if (small !== null) return { body: small, cut: false };
      await new Promise<void>((granted) => {
        this.#claim.wait(bytes, granted);
      });
    }
    return decode(codings, wire, maxBodyBytes);
  }

  #plainBody(cut: Decoded['cut']): Decoded {
    const body = this.#gathered.take();
    const { maxBodyBytes } = this.#context.limits;
    return body.length > maxBodyBytes
      ? { body: body.subarray(0, maxBodyBytes), cut: 'too-large' }
      : { body, cut };
  }

  #onLate(): void {
    const { where, limits, connection } = this.#context;
    const limit = limits.totalTimeoutMs;
    if (this.#head !== null && !isSuccess(this.#head.status)) {
      // A redirect, 304 or error has said all it has to say; its body is not waited for.
      this.#answer({ ...empty, cut: this.#kept ? 'incomplete' : false });
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
    const release = this.#claim.handOver(body.length);
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
      ...(release !== null && { release }),
    });
    this.#settle();
  }

  #fail({ fault, message }: NetFault, repeatable = false): void {
    const endAt = performance.now();
    this.#resolve({ kind: 'fault', fault, message, endAt, ...(repeatable && { repeatable }) });
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
    this.#claim.release();
    this.#clock.stop();
    this.#context.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller?.abort(isOver);
    this.#gathered.drop();
  }
}

/** Made once: most exchanges are whole when they are settled, and a stack trace costs as much as a parsed head. */
const isOver = new Error('the exchange is over');

const empty: Decoded = { body: new Uint8Array(), cut: false };

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Transfer codings but chunked, which nobody asked for (RFC 9110 section 10.1.4), were applied after the content's own. */
function readCodings(content: string | undefined, transfer: string | undefined): readonly Coding[] | null {
  const inner = readContentEncoding(content);
  const outer = transfer === undefined ? [] : readContentEncoding(transfer);
  return inner === null || outer === null ? null : [...inner, ...outer];
}
