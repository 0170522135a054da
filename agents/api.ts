/** The public HTTP API as tools ask it: one route at a time, with the key of whoever calls the tool. */
import type { z } from 'zod';
import { retryAfterMs } from '../domain/retry-after.ts';

export type Route = `${'GET' | 'POST'} /v1/${string}`;

/** What fills a route: its parts in braces, its query, its body. */
export interface Filling {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** @throws Refusal; the reason of the signal, once that has ended */
export type AskApi = (route: Route, filling: Filling, signal: AbortSignal) => Promise<Answered>;

/** Why a route did not do what it was asked for: one sentence for the model and its people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** 0: no answer came. */
  readonly status: number;
  /** Milliseconds after which the API wants to be asked again; null: it has not said so. */
  readonly pauseMs: number | null;
  /** What strangers have written of it; null: nothing. */
  readonly web: string | null;

  constructor(status: number, sentence: string, pauseMs: number | null = null, web: string | null = null) {
    super(sentence);
    this.status = status;
    this.pauseMs = pauseMs;
    this.web = web;
  }
}

export interface ApiPlace {
  /** Without a slash at its end. */
  readonly url: string;
  /** Null: none is sent. */
  readonly key: string | null;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds for one answer; none is made to wait longer than `waitSeconds` of a fetch, and that is 120. */
const longestMs = 150_000;
/** Characters of a sentence of the API that are passed on. */
const longestSentence = 1_000;

export const apiAt =
  ({ url, key, headers = {} }: ApiPlace): AskApi =>
  async (route, { path = {}, query = {}, body }, signal) => {
    const [method = '', template = ''] = route.split(' ');
    const to = new URL(
      url + template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
    );
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) to.searchParams.set(name, String(value));
    let response: Response;
    let text: string;
    try {
      response = await fetch(to, {
        method,
        redirect: 'manual',
        headers: {
          ...headers,
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      const isRead = method === 'GET';
      throw new Refusal(
        0,
        `The Orbweaver API does not answer (${whyOf(error)}). ${isRead ? 'Try again soon.' : 'Look whether it was done (list_crawls) before you try again.'}`,
      );
    }
    const { status } = response;
    if (!response.ok) throw refusalOf(status, text, response.headers.get('retry-after'));
    return { status, headers: response.headers, text };
  };

function whyOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'the request failed';
}

interface Told {
  readonly type?: string;
  readonly reason?: string;
  readonly detail: string;
  readonly rejected: readonly { readonly url: string; readonly reason: string }[];
}

function refusalOf(status: number, text: string, retryAfter: string | null): Refusal {
  const told = toldIn(text);
  const pauseMs = retryAfterMs(retryAfter, Date.now());
  // The detail quotes robots.txt, errors of the host, and where it has led.
  const isOfWeb = /:page-(refused|failed)$/.test(told?.type ?? '');
  const ofWeb = `The page is not to be had${told?.reason === undefined ? '' : ` (${told.reason})`}.`;
  const sentence = [
    told === null
      ? `The Orbweaver API answers with status ${String(status)}.`
      : isOfWeb
        ? ofWeb
        : told.detail,
    ...(told?.rejected ?? []).slice(0, 10).map(({ url, reason }) => `${JSON.stringify(url)}: ${reason}.`),
    ...(pauseMs === null ? [] : [`Try again in ${String(Math.ceil(pauseMs / 1_000))} seconds.`]),
  ].join(' ');
  const web = isOfWeb && told !== null ? told.detail.slice(0, longestSentence) : null;
  return new Refusal(status, sentence.slice(0, longestSentence), pauseMs, web);
}

/** The words of a problem document; null: it is none, as a proxy in front of the API sends it. */
function toldIn(text: string): Told | null {
  try {
    const { detail, rejected = [], ...more } = JSON.parse(text) as Partial<Told>;
    return typeof detail === 'string' ? { ...more, detail, rejected } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** @throws Refusal if an API of another version has answered otherwise */
export function readJson<T>(schema: z.ZodType<T>, { text }: Pick<Answered, 'text'>): T {
  const read = schema.safeParse(jsonIn(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Refusal(
    0,
    `The API answers otherwise than this version of Orbweaver understands (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}).`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
