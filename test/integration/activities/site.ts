/** A web server on loopback whose answers are scripted by path, and which keeps a log of what reached it. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { freshAddress, listen } from '../../support/loopback.ts';

interface Hit {
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** `performance.now()` at the arrival of the request's head. */
  readonly at: number;
  /** When its response was over, or null. */
  endedAt: number | null;
}

/** `count`: how many requests for this path have come, this one included. */
export type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

export interface Site {
  /** `http://address:port`; the address is its own unless the test gave one. */
  readonly origin: string;
  readonly hits: readonly Hit[];
  /** Paths in the order they were asked for. */
  readonly paths: () => string[];
  /** Requests that were in flight together at most. */
  readonly together: () => number;
  answers: Readonly<Record<string, Answer>>;
}

export const page =
  (text: string, fields: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...fields });
    response.end(`<!doctype html><title>${text}</title><p>${text}</p>`);
  };

export const status =
  (code: number, fields: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(code, fields);
    response.end();
  };

export const redirect = (location: string, code = 301): Answer => status(code, { location });

export const robots =
  (...lines: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(lines.join('\n'));
  };

/** After `ms`, as `answer`. */
export const slowly =
  (ms: number, answer: Answer): Answer =>
  (response, request, count) => {
    setTimeout(() => answer(response, request, count), ms);
  };

/** Answers a page for every path that is not scripted, but 404 for robots.txt. Closed when the test is over. */
export async function startSite(
  answers: Readonly<Record<string, Answer>> = {},
  address = freshAddress(),
): Promise<Site> {
  const hits: Hit[] = [];
  let open = 0;
  let together = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const hit: Hit = { path, headers: request.headers, at: performance.now(), endedAt: null };
    hits.push(hit);
    together = Math.max(together, ++open);
    response.on('close', () => {
      open--;
      hit.endedAt = performance.now();
    });
    const answer = site.answers[path] ?? (path === '/robots.txt' ? status(404) : page(path));
    answer(response, request, hits.filter((each) => each.path === path).length);
  });
  const port = await listen(server, address);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const site: Site = {
    origin: `http://${address}:${String(port)}`,
    hits,
    paths: () => hits.map(({ path }) => path),
    together: () => together,
    answers,
  };
  return site;
}

/** Milliseconds between the arrivals of requests that follow each other. */
export const gaps = (site: Pick<Site, 'hits'>, of: (path: string) => boolean = () => true): number[] => {
  const hits = site.hits.filter(({ path }) => of(path));
  return hits.slice(1).map((hit, index) => hit.at - (hits[index]?.at ?? 0));
};
