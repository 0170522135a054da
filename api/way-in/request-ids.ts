/** An id for every request, in its answer, in problems and in the log; and the version that answered. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/** An id from a proxy or a client is taken over if it has a form that logs can hold. */
const idForm = /^[\w.:-]{8,128}$/;

/** For pino-http: the request's own `X-Request-Id`, else a new one; set on the answer as well. */
export function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && idForm.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/** `Orbweaver-Version` on every answer. */
export function versionHeader(version: string): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('Orbweaver-Version', version);
    next();
  };
}
