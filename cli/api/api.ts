/** The API as verbs use it: each answer is checked against the contracts before anything is shown. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readAnswer } from './answer.ts';
import { sendStream, takeStream, type Taken } from './stream.ts';
import {
  jsonOf,
  notOrbweaver,
  sendRequest,
  type ApiAddress,
  type Asking,
  type Query,
  type Sending,
} from './request.ts';
import { askAgain } from './outages.ts';

type Method = 'POST' | 'PATCH' | 'DELETE';

export interface Api {
  /** @throws CommandError with the words of the API, or if the answer does not fit the schema */
  get<T>(path: string, schema: z.ZodType<T>, query?: Query, asking?: Asking): Promise<T>;
  /**
   * A list, page by page. It ends when the API says that there is no more for now; a list that does not say so ends with
   * the page that has no `next`.
   */
  list<T>(path: string, item: z.ZodType<T>, query?: Query, reading?: Reading): AsyncGenerator<T>;
  /** Creates something, with an Idempotency-Key: a server that knows such keys creates it once. */
  create<T>(path: string, schema: z.ZodType<T>, body: unknown): Promise<T>;
  /** Sent once: a caller that loses the answer must look whether the change was made. */
  change<T>(method: Method, path: string, schema: z.ZodType<T>, sending?: Change): Promise<T>;
  /** An answer of any length, read as it comes. @throws CommandError, also while the answer is read */
  take(path: string, type: string, sending?: Pick<Change, 'query' | 'headers'>): Promise<Taken>;
  /** Sends a body of any length as it is made. Sent once, unless it never left. */
  send<T>(
    path: string,
    schema: z.ZodType<T>,
    type: string,
    body: () => AsyncIterable<Uint8Array>,
  ): Promise<T>;
}

/** How a list is read, if not as usual. */
export interface Reading {
  /** Items, at most. */
  readonly most?: number;
  /** Makes the request of one page, and may make it again if it fails. Usual: as long as the address has patience. */
  readonly outlast?: <T>(ask: () => Promise<T>) => Promise<T>;
}

export interface Change extends Asking {
  readonly body?: unknown;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The next page of a list is asked for so many milliseconds at least: giving up loses the pages before it. */
const withinListMs = 60_000;

const jsonBody = { 'content-type': 'application/json' };

export function createApi(address: ApiAddress): Api {
  const ask = async <T>(
    method: string,
    path: string,
    schema: z.ZodType<T>,
    sending: Sending = {},
  ): Promise<T> => {
    const response = await sendRequest(address, method, path, sending);
    return checked(await jsonOf(address, response), schema);
  };
  const checked = <T>(body: unknown, schema: z.ZodType<T>): T =>
    readAnswer(schema, body, (why) => notOrbweaver(address, `its answer ${why}`));

  return {
    get: (path, schema, query = {}, asking = {}) => ask('GET', path, schema, { query, ...asking }),
    list: async function* list<T>(
      path: string,
      item: z.ZodType<T>,
      query: Query = {},
      { most = Infinity, outlast }: Reading = {},
    ) {
      const schema = z.object({
        items: z.array(item),
        next: z.string().nullable(),
        more: z.boolean().optional(),
      });
      let left = most;
      const pageAt = (cursor?: string): Promise<z.infer<typeof schema>> => {
        const page = (): Promise<z.infer<typeof schema>> =>
          ask('GET', path, schema, { query: { ...query, cursor }, patienceMs: 0 });
        if (outlast !== undefined) return outlast(page);
        const { patienceMs: ms, signal } = address;
        return askAgain(page, { ms: cursor === undefined ? ms : Math.max(ms, withinListMs), signal });
      };
      for (let cursor: string | undefined, coming = pageAt(); ;) {
        const { items, next, more = true } = await coming;
        const isLast = next === null || next === cursor || !more || left <= items.length;
        if (!isLast) {
          // The server makes the next page while the caller works on this one.
          coming = pageAt(next);
          coming.catch(() => undefined);
          cursor = next;
        }
        yield* items.slice(0, left);
        left -= items.length;
        if (isLast) return;
      }
    },
    create: (path, schema, body) =>
      ask('POST', path, schema, {
        headers: { ...jsonBody, 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
      }),
    change: (method, path, schema, { body, headers = {}, ...sending } = {}) =>
      ask(method, path, schema, {
        ...sending,
        headers: { ...(body !== undefined && jsonBody), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    take: (path, type, sending = {}) => takeStream(address, path, type, sending),
    send: async (path, schema, type, body) => checked(await sendStream(address, path, type, body), schema),
  };
}
