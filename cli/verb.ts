/**
 * A verb as a value: its words, what it takes, the route that it asks, and what it prints. The command line, its help,
 * the scripts of `completion` and docs/verbs.md derive from these values (program.ts). Most verbs are one request
 * (`asks`); the others say what they do (`does`).
 */
import type { Command } from 'commander';
import type { z } from 'zod';
import type { Query } from './api/request.ts';
import { withApi, type ApiOptions, type Needs } from './api/target.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { writeList, writeMade, type Shown } from './output/table.ts';

/** How an argument (`<id>`, `[url...]`) or an option (`--limit <n>`) is described, if a sentence is not enough. */
export interface Take<V = unknown> {
  readonly about: string;
  /** Reads what was typed. @throws InvalidArgumentError or CommandError */
  readonly read?: (text: string) => V;
  readonly choices?: readonly V[];
  /** What holds without the option. */
  readonly usual?: V;
  /** The option may be repeated. */
  readonly many?: true;
  /** The option must be given. */
  readonly needed?: true;
  /** Heading in the help. */
  readonly group?: string;
  readonly hidden?: true;
  /** Attribute name of an option that cannot be given beside this one. */
  readonly conflicts?: string;
}

/** By the flags, in the order of the help; a function adds options that are told elsewhere. */
export type Takes = Readonly<Record<string, string | Take | ((command: Command) => unknown)>>;

type Camel<T extends string> = T extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : T;
type Name<F extends string> = F extends `--${infer O} ${string}`
  ? Camel<O>
  : F extends `--${infer O}`
    ? Camel<O>
    : F extends `<${infer A}...>` | `[${infer A}...]`
      ? A
      : F extends `<${infer A}>` | `[${infer A}]`
        ? A
        : never;
type Read<T> = T extends { read: (text: string) => infer V }
  ? V
  : T extends { choices: readonly (infer V)[] }
    ? V
    : string;
type Value<F, T> = F extends `${string}...${string}`
  ? readonly Read<T>[]
  : F extends `--${string} ${string}`
    ? T extends { many: true }
      ? readonly Read<T>[] | undefined
      : T extends { usual: unknown } | { needed: true }
        ? Read<T>
        : Read<T> | undefined
    : F extends `--${string}`
      ? boolean
      : F extends `<${string}`
        ? Read<T>
        : Read<T> | undefined;

/** What was typed, by the names of arguments and options. */
export type Given<T extends Takes> = ApiOptions & {
  readonly [F in keyof T & string as Name<F>]: Value<F, T[F]>;
};
/** As program.ts gives it; each verb knows its own by its `takes`. */
export type GivenAny = ApiOptions & Readonly<Record<string, unknown>>;

interface Told<T extends Takes> {
  /** Such as `webhooks add`. */
  readonly words: string;
  /** Absent: the verb is one word, whose summary stands in verbs.ts. */
  readonly summary?: string;
  readonly takes?: T;
  /** What follows the words. Absent, without notes: the words alone are an example. */
  readonly examples?: readonly string[];
  /** Stands below the examples, or in their place. */
  readonly notes?: string;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Params<R extends string> = R extends `${string}{${infer P}}${infer Rest}` ? P | Params<Rest> : never;

interface Asks<T extends Takes, R extends `${Method} /v1/${string}`, A> extends Told<T> {
  /** Its parts in braces are filled in by what the verb takes under these names. */
  readonly route: [Params<R>] extends [Name<keyof T & string>] ? R : never;
  /** What must run if no server is named. Usual: reading. */
  readonly needs?: Needs;
  /** Milliseconds within which the answer must have come, if it may take longer than usual. */
  readonly withinMs?: number;
  /** The request makes something: with an Idempotency-Key it is made once, however often it is sent. */
  readonly makes?: true;
  readonly query?: (given: Given<T>) => Query;
  /** Judged before anything is started. */
  readonly body?: (given: Given<T>) => unknown;
  /** Of a list: of an item. */
  readonly answer: z.ZodType<A>;
  /** Lines for people; a table: the answer is a list, which is read to its end. `--json` and `--id` write what they say. */
  readonly print: Shown<A> | ((answer: A, given: Given<T>) => readonly string[]);
  /** Items of a list that are asked for at once; null: it comes whole. Usual: 1,000. */
  readonly perPage?: number | null;
  /** Items of a list, at most. */
  readonly most?: (given: Given<T>) => number;
  /** The exit code says that what was asked for is not so. */
  readonly fails?: (answer: A) => boolean;
}

interface Does<T extends Takes> extends Told<T> {
  /** The verb works only on this machine. */
  readonly here?: true;
  /**
   * Answers an exit code: ours, or that of the program it ran; nothing: all went well.
   * @param whole the command line with all its verbs
   */
  readonly run: (
    given: Given<T>,
    whole: () => Promise<Command>,
  ) => Promise<number | undefined> | Promise<void>;
}

/** A verb of any kind. */
export interface Verb extends Told<Takes> {
  readonly here: boolean;
  /** Null: it is more than one request. */
  readonly route: { readonly name: string; readonly answer: z.ZodType; readonly isList: boolean } | null;
  run(given: GivenAny, whole: () => Promise<Command>): Promise<number>;
}

/** A verb that is one request, or reads one list. */
export function asks<const T extends Takes, const R extends `${Method} /v1/${string}`, A>(
  verb: Asks<T, R, A>,
): Verb {
  const { route, answer, print } = verb;
  return {
    ...verb,
    here: false,
    route: { name: route, answer, isList: typeof print !== 'function' },
    run: (given) => ask(verb, given as Given<T> & GivenAny),
  };
}

async function ask<T extends Takes, R extends `${Method} /v1/${string}`, A>(
  verb: Asks<T, R, A>,
  given: Given<T> & GivenAny,
): Promise<ExitCode> {
  const { route, answer, print, makes = false, needs = 'reading', withinMs } = verb;
  const [method, template = ''] = route.split(' ') as [Method, string?];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(given[name])),
  );
  const query = verb.query?.(given) ?? {};
  const body: unknown = await verb.body?.(given);
  const json = given['json'] === true;
  return withApi(
    given,
    async (api) => {
      if (typeof print !== 'function') {
        const { perPage = 1_000 } = verb;
        const most = verb.most?.(given) ?? Infinity;
        const limit = perPage === null ? undefined : Math.min(perPage, most);
        await writeList(api.list(path, answer, { limit, ...query }, { most }), json, print);
        return exitCodes.ok;
      }
      const asking = { ...(withinMs !== undefined && { withinMs }) };
      const found = await (method === 'GET'
        ? api.get(path, answer, query, asking)
        : makes
          ? api.create(path, answer, body)
          : api.change(method, path, answer, { ...asking, query, body }));
      // `--id` is taken only where what is made has one.
      writeMade(found as A & { readonly id: string }, { json, id: given['id'] === true }, () =>
        print(found, given),
      );
      return verb.fails?.(found) === true ? exitCodes.failed : exitCodes.ok;
    },
    needs,
  );
}

/** A verb that is more than one request. */
export const does = <const T extends Takes>(verb: Does<T>): Verb => ({
  ...verb,
  here: verb.here === true,
  route: null,
  run: async (given, whole) => (await verb.run(given as Given<T> & GivenAny, whole)) ?? exitCodes.ok,
});
