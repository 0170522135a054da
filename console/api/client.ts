/** Asks the API as any client would, by the cookie of the session. */
import { signal } from '@preact/signals';
import type { Problem } from '../../contracts/http/problem.ts';
import type { SignedIn } from '../../contracts/http/console.ts';

/** Who is signed in; null: nobody; undefined: not known yet. */
export const session = signal<SignedIn | null | undefined>(undefined);

/** The API does not answer: it is being started anew, say. */
export const isAway = signal(false);

/** An answer that is not a success (RFC 9457), or none at all. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Partial<Problem> & { readonly detail: string };
  /** 0: the API did not answer. */
  readonly status: number;

  constructor(status: number, problem: Partial<Problem> & { readonly detail: string }) {
    super(problem.detail);
    this.status = status;
    this.problem = problem;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A path of the API; values that are null, undefined or empty are left out. */
export function pathOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer of `ask` after which a change is made: refused (412) if somebody has changed the thing since. */
  readonly seen?: object;
}

/** The ETags of answers. */
const tags = new WeakMap<object, string>();

/** @throws Refusal */
export async function answerTo(
  path: string,
  { method = 'GET', body, signal, headers = {}, seen }: Sent = {},
): Promise<Response> {
  const csrf = session.value?.csrfToken;
  const tag = seen && tags.get(seen);
  const answer = await fetch(path, {
    method,
    headers: {
      ...headers,
      ...(tag !== undefined && { 'If-Match': tag }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method !== 'GET' && csrf !== undefined && { 'X-CSRF-Token': csrf }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    isAway.value = true;
    throw new Refusal(0, {
      title: 'No answer',
      detail: 'The API does not answer. This page tries again by itself.',
    });
  });
  isAway.value = false;
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => null)) as Partial<Problem> | null;
  if (answer.status === 401 && path !== '/v1/console-session') session.value = null;
  throw new Refusal(answer.status, {
    ...problem,
    detail: problem?.detail ?? `The API answered ${String(answer.status)}.`,
  });
}

/** The answer as JSON. T is what the contract of the route says. @throws Refusal */
export async function ask<T>(path: string, sent?: Sent): Promise<T> {
  const answer = await answerTo(path, sent);
  if (answer.status === 204) return undefined as T;
  const value = (await answer.json()) as T;
  const tag = answer.headers.get('ETag');
  if (tag !== null) tags.set(value as object, tag);
  return value;
}

export const post = <T>(path: string, body: unknown = {}): Promise<T> =>
  ask<T>(path, { method: 'POST', body });

/** A list that is read in pieces. */
export interface Paged<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly more?: boolean;
}
