/**
 * `POST /mcp`: the tools for agents (agents/) by the Model Context Protocol, as streamable HTTP without sessions. Each
 * request is served by a server of its own, so that nothing is lost with a process, and any process can take the next.
 *
 * The tools ask this very API by HTTP, at the address to which their caller came and with the caller's key. So all that
 * stands before a route (gate, quotas, rate limits, turns, audit log) stands before the tools, by construction. Rejected:
 * calling the express application without a socket, which saves a millisecond and stands on made-up requests.
 */
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { agentServer } from '../../agents/server.ts';
import { agentMessage, agentRefusal } from '../../contracts/http/agents.ts';
import { reader } from '../way-in/access.ts';
import { countForAudit } from '../way-in/audit-log.ts';
import { tokenOf } from '../way-in/gate.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { turnsOf } from '../way-in/turns.ts';
import { byHand } from './answers.ts';
import { answered, route } from './route.ts';

/** Calls at a time for one tenant, and in this process: they have left their places, since the tools take places. */
const mostOfTenant = 50;
const mostOfAll = 500;
/** A call that is not over after this time is cut off: the longest wait of a tool, and time for its requests. */
const longestMs = 15 * 60_000;

const sessionField = 'Mcp-Session-Id';

const content = {
  'application/json': { schema: agentMessage },
  'text/event-stream': { schema: { type: 'string' } },
} as const;

export const agentRoutes = [
  route({
    method: 'POST',
    path: '/mcp',
    // Whoever may use one of the tools; each tool is judged by the routes that it asks.
    access: reader('crawls', 'hosts'),
    id: 'callAgentTools',
    summary:
      'Tools for agents, by the Model Context Protocol (streamable HTTP without sessions); each tool demands what the routes demand that it asks',
    body: agentMessage,
    answers: {
      200: byHand({
        description: 'The answer to the message, or a stream of its progress with the answer at its end.',
        content,
      }),
      202: byHand({ description: 'The notification was taken.' }),
      406: byHand({
        description: 'The client takes not both JSON and text/event-stream, as the protocol has it.',
        content: { 'application/json': { schema: agentRefusal } },
      }),
    },
    handler: ({ log, settings: { version }, stopping }) => {
      const calls = new AgentCalls();
      return async ({ body, caller, request, response }) => {
        // The requests of the tools are entries of their own.
        countForAudit(response);
        turnsOf(request)?.leavePlace();
        const leave = calls.enter(caller.tenantId, response);
        const session = sessionOf(request, response, body.method);
        if (body.method === 'notifications/cancelled') calls.cancel(`${caller.id} ${session}`, body.params);
        else if (body.id !== undefined)
          calls.name(`${caller.id} ${session} ${JSON.stringify(body.id)}`, response);
        try {
          await answer(request, response, { version, stopping, log });
        } finally {
          leave();
        }
        return answered;
      };
    },
  }),
];

async function answer(
  request: Request,
  response: Response,
  {
    version,
    stopping,
    log,
  }: { readonly version: string; readonly stopping: AbortSignal; readonly log: Logger },
): Promise<void> {
  const place = {
    url: ownAddress(request),
    key: tokenOf(request) ?? null,
    headers: { 'x-request-id': response.get('X-Request-Id') ?? randomUUID() },
  };
  const onerror = (error: Error): void => {
    log.info({ err: error }, 'a message of an agent was not served');
  };
  const handler = createMcpHandler(() => agentServer({ place, version, stopping }), {
    onerror,
    // No list changes while a server runs.
    maxSubscriptions: 0,
  });
  const late = setTimeout(() => response.end(), longestMs);
  try {
    await toNodeHandler(handler, { onerror })(request, response, request.body);
  } finally {
    clearTimeout(late);
    await handler.close();
  }
}

/** Where the connection of this request ends: the API listens there. */
function ownAddress({ socket: { localAddress = '127.0.0.1', localPort = 0, localFamily } }: Request): string {
  const host =
    localFamily === 'IPv6' && !localAddress.startsWith('::ffff:') ? `[${localAddress}]` : localAddress;
  return `http://${host.replace(/^::ffff:/, '')}:${String(localPort)}`;
}

/**
 * Clients of 2025 cancel a call by a request of its own, and count their calls from 0, all of them. The id of a session
 * that they are given with the first answer tells them apart; nothing is kept under it.
 */
function sessionOf(request: Request, response: Response, method: string | undefined): string {
  if (method !== 'initialize') return request.get(sessionField) ?? '';
  const session = randomUUID();
  response.setHeader(sessionField, session);
  return session;
}

/** The calls that this process answers now. */
class AgentCalls {
  readonly #ofTenant = new Map<number, number>();
  readonly #byName = new Map<string, Response>();
  #all = 0;

  /** @returns to be called when the call is over @throws HttpProblem if there are too many */
  enter(tenantId: number, response: Response): () => void {
    const own = this.#ofTenant.get(tenantId) ?? 0;
    if (own >= mostOfTenant || this.#all >= mostOfAll) {
      response.set('Retry-After', '5');
      throw new HttpProblem(
        429,
        'Too many calls of agents are under way. Retry-After says when to try again.',
        {
          kind: 'rate-limited',
        },
      );
    }
    this.#ofTenant.set(tenantId, own + 1);
    this.#all++;
    return () => {
      this.#all--;
      const left = (this.#ofTenant.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#ofTenant.set(tenantId, left);
      else this.#ofTenant.delete(tenantId);
    };
  }

  name(name: string, response: Response): void {
    this.#byName.set(name, response);
    response.once('close', () => {
      if (this.#byName.get(name) === response) this.#byName.delete(name);
    });
  }

  /** Ends the answer to a call, and by that the call. One that another process answers ends with its own wait. */
  cancel(session: string, params: unknown): void {
    if (typeof params !== 'object' || params === null || !('requestId' in params)) return;
    this.#byName.get(`${session} ${JSON.stringify(params.requestId)}`)?.end();
  }
}
