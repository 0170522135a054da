/** Keeps web pages away from an API that trusts every client on its loopback address (domain/own-host.ts). */
import type { RequestHandler } from 'express';
import { rankLineTypes } from '../../contracts/http/ranks.ts';
import { seedLineTypes } from '../../contracts/http/seeds.ts';
import { isOwnHost, isOwnOrigin, namedHosts, ownNames } from '../../domain/own-host.ts';
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
  const ours = ownNames(names);
  return (request, response, next) => {
    const [host, ...others] = namedHosts(request.rawHeaders, request.originalUrl);
    if (host === undefined || others.length > 0) {
      const detail =
        host === undefined
          ? 'The request names no host: send a Host field.'
          : 'The request names several hosts: send one Host field.';
      sendProblem(response, 400, detail);
      return;
    }
    if (!isOwnHost(host, ours)) {
      const detail = `This API does not answer for the host name in ${JSON.stringify(host)}; ORBWEAVER_API_NAMES lists the names for which it answers.`;
      sendProblem(response, 421, detail);
      return;
    }
    if (reading.has(request.method)) {
      next();
      return;
    }
    const { origin } = request.headers;
    if (!isOwnOrigin(origin, host)) {
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

function hasBody(headers: {
  'content-length'?: string | undefined;
  'transfer-encoding'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
