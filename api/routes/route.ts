/**
 * A route as a value: method, path, who may use it, its inputs, its answers, its handler. Express (`mount`), the gate
 * (who may, 404, 405), the OpenAPI document and docs/routes.md derive from it. The schemas read path, query and body in
 * this order before the handler runs; the first input that is not valid is named in the refusal.
 */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { logAbout } from '../../config/process-log.ts';
import type { Parts } from '../dependencies.ts';
import type { Access, Method } from '../way-in/access.ts';
import { callerIfAny, callerOf, type Caller } from '../way-in/caller.ts';
import { parseInput } from '../way-in/problem.ts';
import { turnsOf, type RequestTurns } from '../way-in/turns.ts';
import { ifMatch, type Answer } from './answers.ts';
import { refuseIfMatch, sendTagged } from './preconditions.ts';

/**
 * What a request costs those of other tenants. `usual`: some milliseconds of work, and statements that read a few
 * thousand rows. `heavy`: it reads a stored body, or may read all that a crawl has, and waits for a turn (turns.ts).
 * A new route is `usual`: if its cost is forgotten, it is still held to the places and the connections of its tenant,
 * and cannot read a body on the event loop (`api-reads-no-bodies` in .dependency-cruiser.cjs).
 */
export type Cost = 'usual' | 'heavy';

type Answers = Readonly<Record<number, Answer>>;

/** A handler that has sent its answer itself returns this. */
class Answered {
  readonly isSent = true;
}
export const answered = new Answered();

type Reply<A extends Answers> = { [S in keyof A]: A[S] extends Answer<infer T> ? T : never }[keyof A];
type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<P, Q, B> {
  readonly request: Request;
  readonly response: Response;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** @throws where the route is public */
  readonly caller: Caller;
}

/** What the OpenAPI document says of a route. */
export interface Documented {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  /** Fields of the request head; the handler reads them itself. */
  readonly header?: z.ZodObject;
  readonly body?: z.ZodType | undefined;
  /** A missing body counts as an empty object. */
  readonly bodyIsOptional?: true;
  /**
   * The body in the document, by media type, if `body` does not say it all; without `body` the handler reads the body.
   */
  readonly bodies?: Readonly<Record<string, z.ZodType>>;
  /** By status. openapi/operation.ts adds the usual refusals. */
  readonly answers: Answers;
  /** Some requests of the route are heavy, or all. */
  readonly isHeavy: boolean;
  /** The route counts against the quotas of crawls, and its answer says how much of them is left (quotas.ts). */
  readonly countsQuotas?: true;
  readonly callbacks?: ZodOpenApiOperationObject['callbacks'];
}

/** As it is mounted. `docs` null: a page for people. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** A GET that gives stored bodies away, and so is an entry of the audit log. */
  readonly isDownload?: true | undefined;
  readonly docs: Documented | null;
  /** Null: mounted by app.ts. */
  readonly handler: ((parts: Parts) => RequestHandler) | null;
}

interface Spec<P, Q, B, A extends Answers> extends Omit<Documented, 'isHeavy'> {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly isDownload?: true;
  readonly params?: P & z.ZodObject;
  /** Answers a path that does not fit `params` and so names nothing. Absent: such a path is not valid (400). */
  readonly unknown?: (params: Readonly<Record<string, string>>) => never;
  readonly query?: Q & z.ZodObject;
  readonly body?: B & z.ZodType;
  readonly answers: A;
  /** Absent: usual. */
  readonly cost?: Cost | ((query: Read<Q>) => Cost);
  /** Called once for each application; the function it returns is called for each request. */
  readonly handler: (
    parts: Parts,
  ) => (call: Call<Read<P>, Read<Q>, Read<B>>) => Promise<Reply<A> | Answered> | Reply<A> | Answered;
}

export function route<A extends Answers, P = undefined, Q = undefined, B = undefined>(
  spec: Spec<P, Q, B, A>,
): Route {
  const {
    method,
    path,
    access,
    isDownload,
    params,
    unknown,
    query,
    body,
    bodyIsOptional,
    answers,
    cost = 'usual',
  } = spec;
  const good = Object.keys(answers).filter((status) => status.startsWith('2'));
  /** A route with several good answers has a handler that sets the status. */
  const status = good.length === 1 ? Number(good[0]) : null;
  const paramsOf = (request: Request): unknown => {
    if (unknown !== undefined && params?.safeParse(request.params).success === false)
      unknown(request.params as Record<string, string>);
    return params && parseInput(params, request.params, 400);
  };
  const bodyOf = (request: Request): unknown => {
    if (body === undefined) return undefined;
    const sent: unknown = request.body;
    return parseInput(body, bodyIsOptional === true ? (sent ?? {}) : sent, 422);
  };
  const handler = (parts: Parts): RequestHandler => {
    const handle = spec.handler(parts);
    const name = `${method} ${path}`;
    const facts = { 'http.request.method': method, 'http.route': path };
    const { tracer } = parts;
    return (request, response) => {
      if (spec.header !== ifMatch) refuseIfMatch(request);
      const send = (reply: Reply<A> | Answered): void => {
        if (reply instanceof Answered) return;
        if (status !== null) response.status(status);
        if (answers[response.statusCode]?.isTagged === true) {
          const { version, body: now } = reply as { readonly version: number; readonly body: object };
          sendTagged(response, version, now);
        } else response.json(reply);
      };
      const call = {
        request,
        response,
        params: paramsOf(request) as Read<P>,
        query: (query && parseInput(query, request.query, 400)) as Read<Q>,
        body: bodyOf(request) as Read<B>,
        get caller() {
          return callerOf(request);
        },
      };
      const ids = { requestId: response.get('X-Request-Id'), by: callerIfAny(request)?.id };
      const work = () =>
        tracer === undefined
          ? logAbout(ids, () => handle(call))
          : tracer.within(
              name,
              { ...facts, 'orbweaver.request_id': ids.requestId ?? '' },
              () => logAbout({ ...ids, traceId: tracer.traceId() }, () => handle(call)),
              'server',
            );
      const turns = turnsOf(request);
      const its = typeof cost === 'function' ? cost(call.query) : cost;
      if (its === 'heavy' && turns !== undefined) return inTurn(turns, response, work, send);
      const reply = work();
      // A reply that is ready is sent at once, before anything else that came on the connection is looked at.
      if (reply instanceof Promise)
        return reply.then(send).finally(() => {
          // If the client has gone, the answer may never have been ended.
          if (response.closed) turns?.end();
        });
      send(reply);
      return undefined;
    };
  };
  return { method, path, access, isDownload, docs: { ...spec, isHeavy: cost !== 'usual' }, handler };
}

async function inTurn<R>(
  turns: RequestTurns,
  response: Response,
  handle: () => Promise<R> | R,
  send: (reply: R) => void,
): Promise<void> {
  if (await turns.takeHeavy(response)) send(await handle());
  else response.end();
}

/** For people, and not part of the OpenAPI document. @param handler null: mounted by app.ts */
export const page = (
  path: string,
  access: Access,
  handler: ((parts: Parts) => RequestHandler) | null,
): Route => ({ method: 'GET', path, access, docs: null, handler });

/** The gate refuses methods that a path does not have. */
export function mount(routes: readonly Route[], parts: Parts): Router {
  const router = Router();
  for (const { method, path, handler } of routes) {
    const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
    if (handler !== null) router[verb](path.replace(/\{(\w+)\}/g, ':$1'), handler(parts));
  }
  return router;
}
