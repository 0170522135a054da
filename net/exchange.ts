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
 *          The body itself is taken in by net/body-intake.ts.
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
import type { BodyBudget } from './body-budget.ts';
import { BodyClaim, Clock } from './body-claim.ts';
import { BodyIntake, emptyBody, isSuccess } from './body-intake.ts';
import type { Connection } from './connector.ts';
import { lateFault } from './connector.ts';
import type { Decoded } from './content-coding.ts';
import { fieldValues, type FieldLines } from './fields.ts';
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

/** Interim responses (1xx) before the one that counts; a server that sends more is not going to send that. */
const maxInterimResponses = 32;

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
  readonly #body: BodyIntake;

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
    this.#body = new BodyIntake({
      maxBodyBytes: context.limits.maxBodyBytes,
      onlyWhole: context.limits.onlyWhole === true,
      claim: this.#claim,
      onBody: (body, endAt) => {
        this.#answer(body, endAt);
      },
      onError: (reason) => {
        this.#throw(reason);
      },
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
    this.#body.begin(status, headers, !isSuccess(status) || this.#context.wantsBody?.(headers) !== false);
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
    if (!this.#settled) this.#body.take(controller, chunk);
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#body.end(this.#h2?.wasReset === true ? 'incomplete' : false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return;
    const { where, maxHeaderBytes } = this.#context;
    const reason = exchangeFault(error, where, this.#head !== null, maxHeaderBytes);
    if (!(reason instanceof NetFault)) this.#throw(reason);
    else if (this.#head === null && this.#h2?.wantsHttp1 === true) this.#failTurnedAway();
    else if (this.#head === null) this.#fail(reason, this.#wentUnheard(reason));
    else if (reason.fault === 'protocol' && isSuccess(this.#head.status)) this.#fail(reason);
    else this.#body.end('incomplete');
  }

  /**
   * A connection kept from an earlier request went away without a byte of an answer: the server has most likely closed
   * it as idle while this request was on its way (RFC 9112 section 9.3.1).
   */
  #wentUnheard(reason: NetFault): boolean {
    return reason.connectionLost && this.#reused && !this.#answering;
  }

  #onLate(): void {
    const { where, limits, connection } = this.#context;
    const limit = limits.totalTimeoutMs;
    if (this.#head !== null && !isSuccess(this.#head.status)) {
      // A redirect, 304 or error has said all it has to say; its body is not waited for.
      this.#answer({ ...emptyBody, cut: this.#body.isKept ? 'incomplete' : false }, performance.now());
    } else if (this.#head !== null) {
      this.#fail(new NetFault('timeout', `${where} did not finish its response within ${String(limit)} ms.`));
    } else if (this.#sent) {
      this.#fail(new NetFault('timeout', `${where} did not answer within ${String(limit)} ms.`));
    } else {
      this.#fail(lateFault(connection()?.phase ?? 'open', where, limit));
    }
  }

  #answer({ body, cut }: Decoded, endAt: number): void {
    if (this.#head === null) return;
    const { status, headers, headAt, remoteAddress } = this.#head;
    const { wireBytes } = this.#body;
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
      ...(this.#context.connection()?.mended === true && { mended: true as const }),
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
    this.#body.drop();
  }
}

/** Made once: most exchanges are whole when they are settled, and a stack trace costs as much as a parsed head. */
const isOver = new Error('the exchange is over');
