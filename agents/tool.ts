/**
 * A tool as a value: its name, what a model is told of it, what it takes, the routes that it asks, and what it makes of
 * their answers. The server (server.ts) and docs/tools.md derive from these values.
 *
 * A tool reaches nothing but the routes that it names, and those by the public API with the key of its caller: what a
 * role, a quota, a rate limit or the audit log says of a route holds for the tool.
 */
import type { z } from 'zod';
import type { Filling, Route } from './api.ts';

/** What a tool found. */
export interface Told {
  /** Sentences of ours: what was found, what is left, and how to go on. */
  readonly says: readonly string[];
  /** The same and more as values, all of them ours: ids, counts, states, cursors. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What strangers wrote: a text, or the items of a list. It is marked, wherever it is shown (untrusted.ts). */
  readonly web?: string | readonly object[];
}

/** What a tool works with. */
export interface Call<R extends Route = Route> {
  /** @throws Refusal */
  readonly ask: <T>(route: R, answer: z.ZodType<T>, filling?: Filling) => Promise<T>;
  /** An answer that is a text; `leftOut` characters are missing at its end. @throws Refusal */
  readonly read: (route: R, filling: Filling) => Promise<{ readonly text: string; readonly leftOut: number }>;
  /** Tells the client how far a call is that takes long. Each call must give a larger number. */
  readonly progress: (done: number, of: number, message: string) => void;
  /** Aborted when the client has cancelled the call, or when the server ends. */
  readonly signal: AbortSignal;
}

export interface Tool<I extends z.ZodObject = z.ZodObject, R extends Route = Route> {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For a model: what it is for, what comes back, and what to call next. */
  readonly description: string;
  readonly input: I;
  readonly asks: readonly R[];
  /** `reads`: nothing is changed; `starts`: something is begun; `ends`: something cannot be taken back. */
  readonly does: 'reads' | 'starts' | 'ends';
  run(given: z.output<I>, call: Call<R>): Promise<Told>;
}

/** Any tool: the input is checked before it runs, and its routes are those that it names. */
export type AnyTool = Omit<Tool, 'run'> & { run(given: never, call: Call): Promise<Told> };

export const tool = <I extends z.ZodObject, const R extends Route>(spec: Tool<I, R>): AnyTool => spec;
