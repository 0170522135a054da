/**
 * The DevTools protocol over a pipe: JSON texts, each followed by a NUL byte. A pipe and no port, since a port would be
 * open to every process of the machine, and because the browser ends when the pipe closes, however we end.
 */
import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/** What is done when the browser tells something of a session. */
export type Listener = { readonly [Name in keyof Events]?: (params: Events[Name][0]) => void };

/** Where commands go: a page, a worker; the browser itself. */
export interface Session {
  readonly send: <Name extends keyof Commands>(
    method: Name,
    ...params: Commands[Name]['paramsType']
  ) => Promise<Commands[Name]['returnType']>;
}

/** The browser is gone, or never understood. */
class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

/** The browser refused a command, such as one for a page that has ended. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** What a command says whose page, or whose browser, has ended meanwhile. */
export function unlessOver(error: unknown): void {
  if (!(error instanceof CommandRefused) && !(error instanceof BrowserGone)) throw error;
}

/** As the browser writes it; the protocol's own types are trusted for what is in it. */
interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Bytes of one message that are read; a longer one is passed over. A page decides how long they are: the body of a POST
 * comes with the request. Above the longest that we ask for: a DOM of 10 MB in escapes.
 */
const maxMessageBytes = 96 * 1_024 * 1_024;

const nul = 0;

export class DevTools {
  readonly #input: Writable;
  readonly #waiting = new Map<
    number,
    {
      readonly sessionId: string | undefined;
      readonly done: (result: unknown) => void;
      readonly failed: (error: Error) => void;
    }
  >();
  readonly #listeners = new Map<string, Listener>();
  #lastId = 0;
  #gone: string | null = null;
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    // The end of the pipe is told by `end`.
    input.on('error', () => undefined);
    output.on('error', () => undefined);
    output.on('data', (bytes: Buffer) => this.#read(bytes));
    output.on('close', () => this.end('the browser has closed its pipe'));
  }

  /** The page or worker of a session; without an id the browser itself. */
  session(sessionId?: string): Session {
    return {
      send: (method, ...params) => this.#send(method, params[0], sessionId) as Promise<never>,
    };
  }

  /** Hears what is told of a session from now on; one listener each. */
  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  /** The page or worker has ended: the browser leaves commands unanswered that it had not finished. */
  endSession(ended: string): void {
    this.#listeners.delete(ended);
    for (const [id, { sessionId, failed }] of this.#waiting)
      if (sessionId === ended) {
        this.#waiting.delete(id);
        failed(new CommandRefused('the page has ended'));
      }
  }

  /** Fails what waits for an answer, and all that is sent from now on. */
  end(why: string): void {
    this.#gone ??= why;
    this.#parts = [];
    for (const { failed } of this.#waiting.values()) failed(new BrowserGone(why));
    this.#waiting.clear();
  }

  #send(method: string, params: unknown, sessionId: string | undefined): Promise<unknown> {
    if (this.#gone !== null) return Promise.reject(new BrowserGone(this.#gone));
    const id = ++this.#lastId;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { sessionId, done, failed });
      this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #read(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(nul); at !== -1; at = bytes.indexOf(nul, from)) {
      this.#keep(bytes.subarray(from, at));
      if (this.#partBytes <= maxMessageBytes) this.#hear(Buffer.concat(this.#parts).toString('utf8'));
      this.#parts = [];
      this.#partBytes = 0;
      from = at + 1;
    }
    this.#keep(bytes.subarray(from));
  }

  #keep(bytes: Buffer): void {
    this.#partBytes += bytes.length;
    if (this.#partBytes > maxMessageBytes) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(bytes);
  }

  #hear(text: string): void {
    const { id, sessionId, method, params, result, error } = JSON.parse(text) as Message;
    if (id === undefined) {
      const listener: Readonly<Record<string, ((params: never) => void) | undefined>> =
        this.#listeners.get(sessionId ?? '') ?? {};
      if (method !== undefined) listener[method]?.(params as never);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.done(result);
    else waiting?.failed(new CommandRefused(error.message));
  }
}
