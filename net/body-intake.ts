/**
 * The body of one response, from the wire to its decoded bytes, no larger than is allowed. What is larger than
 * `freeBytes` takes room in the process's budget first; while it waits in line for it, nothing is read and the time
 * limit stands still, since that wait is ours.
 */
import type { Dispatcher } from 'undici';
import { freeBytes } from './body-budget.ts';
import type { BodyClaim } from './body-claim.ts';
import {
  CodingStream,
  decode,
  decodeAtOnce,
  readContentEncoding,
  type Coding,
  type Decoded,
} from './content-coding.ts';
import { Gathered } from './gathered.ts';

/** Bytes of a redirect's body read to keep its connection; longer ones cost more than a new connection. */
const drainedBytes = 16 * 1024;
/** By how much a coded body may be longer on the wire than it is allowed to be undone: codings that shrink nothing. */
const codingOverheadBytes = 64 * 1024;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const emptyBody: Decoded = { body: new Uint8Array(), cut: false };

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

export interface IntakeContext {
  readonly maxBodyBytes: number;
  /** A body that is declared to be longer is not read at all. */
  readonly onlyWhole: boolean;
  readonly claim: BodyClaim;
  /** The body is here as far as it will come. `endAt`: when the network's part was over (`performance.now()`). */
  readonly onBody: (body: Decoded, endAt: number) => void;
  readonly onError: (reason: unknown) => void;
}

export class BodyIntake {
  readonly #context: IntakeContext;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
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

  constructor(context: IntakeContext) {
    this.#context = context;
  }

  get wireBytes(): number {
    return this.#wireBytes;
  }

  get isKept(): boolean {
    return this.#kept;
  }

  /** The head has come. `wanted`: what the caller says of the body of a 2xx. */
  begin(status: number, headers: Readonly<Record<string, string>>, wanted: boolean): void {
    this.#status = status;
    this.#headers = headers;
    // Without Location it is an answer like any other (RFC 9110 §15.4; Fetch, HTTP-redirect fetch).
    const leadsOn = redirects.has(status) && headers['location'] !== undefined;
    this.#kept = status !== 304 && !leadsOn && wanted;
    this.#codings = readCodings(headers['content-encoding'], headers['transfer-encoding']);
    const declared = Number(headers['content-length'] ?? 0);
    if (!this.#kept && declared > drainedBytes) this.#hand(emptyBody);
    else if (
      this.#kept &&
      this.#context.onlyWhole &&
      declared > this.#context.maxBodyBytes + codingOverheadBytes
    )
      this.#hand({ ...emptyBody, cut: 'too-large' });
  }

  take(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#wireBytes += chunk.length;
    if (!this.#kept) {
      if (this.#wireBytes > drainedBytes) this.#hand(emptyBody);
      return;
    }
    const { maxBodyBytes } = this.#context;
    if (this.#stream !== null) {
      if (this.#wireBytes > maxBodyBytes + codingOverheadBytes) this.end('too-large');
      else this.#feed(this.#stream, controller, chunk);
      return;
    }
    this.#gathered.push(chunk);
    const codings = this.#codings ?? [];
    if (codings.length === 0 && this.#wireBytes > maxBodyBytes) this.#hand(this.#plain('too-large'));
    else if (this.#wireBytes > freeBytes) this.#makeRoom(controller, codings);
  }

  /** The body is here as far as it will come. */
  end(networkCut: false | 'incomplete' | 'too-large'): void {
    if (this.#ended) return;
    this.#ended = true;
    const { claim, onBody, onError } = this.#context;
    // What broke off in line is small, and may be decoded yet.
    if (claim.inLine) claim.release();
    const endAt = performance.now();
    if (!this.#kept) {
      onBody(emptyBody, endAt);
    } else if (this.#stream === null && (this.#codings === null || this.#codings.length === 0)) {
      onBody(this.#plain(this.#codings === null ? 'bad-encoding' : networkCut), endAt);
    } else {
      this.#decoded().then((decoded) => {
        // A coded body that has its own end is whole, whatever the framing around it says: some servers send the
        // length of the body before its coding, or no last chunk.
        const cut = networkCut === 'too-large' ? networkCut : decoded.cut;
        onBody({ body: decoded.body, cut }, endAt);
      }, onError);
    }
  }

  /** Nothing more is wanted of the body. */
  drop(): void {
    this.#ended = true;
    this.#gathered.drop();
  }

  #hand(body: Decoded): void {
    this.#ended = true;
    this.#context.onBody(body, performance.now());
  }

  /** The body is a large one: reading goes on when there is room for all of the body. */
  #makeRoom(controller: Dispatcher.DispatchController, codings: readonly Coding[]): void {
    const { claim } = this.#context;
    if (claim.made) return;
    const bytes = codings.length === 0 ? this.#plainBytes() : this.#decodedBytes(codings);
    const goOn = (): void => {
      if (codings.length > 0 && !this.#ended) this.#startStream(controller, codings);
    };
    if (claim.take(bytes)) {
      goOn();
    } else if (!isSuccess(this.#status)) {
      // The status of an error has said all that matters.
      this.#hand({ ...emptyBody, cut: 'incomplete' });
    } else {
      controller.pause();
      claim.wait(bytes, () => {
        controller.resume();
        goOn();
      });
    }
  }

  /** Bytes that a body without codings may take: its Content-Length, if HTTP holds the server to that, else the limit. */
  #plainBytes(): number {
    const { maxBodyBytes } = this.#context;
    const { 'content-length': length, 'transfer-encoding': transfer } = this.#headers;
    const declared = transfer === undefined ? Number(length) : NaN;
    return Number.isSafeInteger(declared) ? Math.min(declared, maxBodyBytes) : maxBodyBytes;
  }

  /** Undoing one of several codings has two bodies in hand. */
  #decodedBytes(codings: readonly Coding[]): number {
    return this.#context.maxBodyBytes * Math.min(codings.length, 2);
  }

  #startStream(controller: Dispatcher.DispatchController, codings: readonly Coding[]): void {
    const gathered = this.#gathered.take();
    const outermost = codings.at(-1) ?? 'gzip';
    this.#stream = new CodingStream(outermost, gathered, this.#context.maxBodyBytes);
    this.#feed(this.#stream, controller, gathered);
  }

  /** Hands bytes to the decoder; reading pauses while it is behind and ends once it has enough. */
  #feed(stream: CodingStream, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (stream.write(chunk) && !stream.over) return;
    controller.pause();
    void stream.drained().then(() => {
      if (this.#ended) return;
      if (stream.over) this.end(false);
      else controller.resume();
    });
  }

  async #decoded(): Promise<Decoded> {
    const codings = this.#codings ?? [];
    if (this.#stream === null) return this.#decodedAtOnce(codings);
    const outer = await this.#stream.end();
    const inner = await decode(codings.slice(0, -1), outer.body, this.#context.maxBodyBytes);
    return { body: inner.body, cut: outer.cut === false ? inner.cut : outer.cut };
  }

  /** A body that is small on the wire may be large once decoded. If there is no room for that, decoding finds out. */
  async #decodedAtOnce(codings: readonly Coding[]): Promise<Decoded> {
    const { maxBodyBytes, claim } = this.#context;
    const wire = this.#gathered.take();
    const bytes = this.#decodedBytes(codings);
    if (!claim.take(bytes)) {
      const small = decodeAtOnce(codings, wire, Math.min(freeBytes, maxBodyBytes));
      if (small !== null) return { body: small, cut: false };
      await new Promise<void>((granted) => {
        claim.wait(bytes, granted);
      });
    }
    return decode(codings, wire, maxBodyBytes);
  }

  #plain(cut: Decoded['cut']): Decoded {
    const body = this.#gathered.take();
    const { maxBodyBytes } = this.#context;
    return body.length > maxBodyBytes
      ? { body: body.subarray(0, maxBodyBytes), cut: 'too-large' }
      : { body, cut };
  }
}

/** Transfer codings but chunked, which nobody asked for (RFC 9110 section 10.1.4), were applied after the content's own. */
function readCodings(content: string | undefined, transfer: string | undefined): readonly Coding[] | null {
  const inner = readContentEncoding(content);
  const outer = transfer === undefined ? [] : readContentEncoding(transfer);
  return inner === null || outer === null ? null : [...inner, ...outer];
}
