/**
 * Keeps web pages away from an API that trusts every client on its loopback address. A page may send requests to
 * 127.0.0.1, and by DNS rebinding may even read the answers under its own name.
 */
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { rankLineTypes } from '../../contracts/http/ranks.ts';
import { seedLineTypes } from '../../contracts/http/seeds.ts';
import { sendProblem } from './problem.ts';

/** These paths take lines, of types that a page cannot send without asking first either. */
const takesLines: readonly (readonly [path: RegExp, types: readonly string[]])[] = [
  [/^\/v1\/crawls\/[^/]+\/seeds\/?$/i, seedLineTypes],
  [/^\/v1\/ranks\/?$/i, rankLineTypes],
];
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses three kinds of requests: those whose Host is a name that is not ours (an address or `localhost` cannot be
 * rebound), those that change something and come from another site's page, and bodies that a page could send without
 * asking first.
 * @param names host names, without port, that are ours as well
 */
export function guard(names: readonly string[]): RequestHandler {
  const ours = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (request, response, next) => {
    const { host } = request.headers;
    if (host === undefined) {
      sendProblem(response, 400, 'The request names no host: send a Host field.');
      return;
    }
    if (!isOurs(hostName(host), ours)) {
      const detail = `This API does not answer for the host name in ${JSON.stringify(host)}; ORBWEAVER_API_NAMES lists the names for which it answers.`;
      sendProblem(response, 421, detail);
      return;
    }
    if (reading.has(request.method)) {
      next();
      return;
    }
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
      const detail = 'A web page of another site may not change anything through this API.';
      sendProblem(response, 403, detail, { kind: 'cross-site' });
      return;
    }
    const lines = takesLines.find(([path]) => path.test(request.path))?.[1] ?? [];
    const types = ['application/json', ...lines];
    if (hasBody(request.headers) && request.is(types) === false) {
      const named = types.join(' or ');
      sendProblem(response, 415, `The body must be sent with Content-Type: ${named}.`);
      return;
    }
    next();
  };
}

function hostName(host: string): string {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1] ?? '';
  return name.toLowerCase().replace(/^\[|\]$/g, '');
}

function isOurs(name: string, ours: ReadonlySet<string>): boolean {
  return isIP(name) !== 0 || ours.has(name) || name.endsWith('.localhost');
}

function hasBody(headers: {
  'content-length'?: string | undefined;
  'transfer-encoding'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
