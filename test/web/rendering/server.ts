/**
 * The web for rendering on loopback: one host has every kind of page at `/KIND/N`, and another answers for the same paths,
 * for pages that ask elsewhere. Every request is in the log.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { freshAddress, listen } from '../../support/loopback.ts';
import type { RequestRecord } from '../log.ts';
import { bundles } from './bundles.ts';
import {
  js,
  json,
  showScript,
  truthOf,
  written,
  type Kind,
  type Place,
  type Reply,
  type Truth,
} from './kind.ts';
import { kinds } from './kinds.ts';
import { leaves, storyAt } from './story.ts';

export interface RenderingPage {
  readonly kind: Kind;
  readonly url: string;
  readonly truth: Truth;
}

export interface RenderingWeb {
  /** Its home page has a link to every page. */
  readonly origin: string;
  readonly pages: readonly RenderingPage[];
  readonly log: () => readonly RequestRecord[];
  stop(): Promise<void>;
}

const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** @param perKind pages of each kind */
export async function startRenderingWeb(perKind = 1): Promise<RenderingWeb> {
  const records: RequestRecord[] = [];
  const servers = [createServer(), createServer()];
  const [origin = '', other = ''] = await Promise.all(servers.map(listening));
  const placeOf = (at: string): Place => ({ at, origin, other, story: storyAt(at) });
  const paths = kinds.flatMap((kind) =>
    Array.from({ length: perKind }, (_, nth) => ({ kind, at: `/${kind.name}/${String(nth + 1)}` })),
  );
  const home = `<!doctype html><title>All pages</title><ul>${paths.map(({ at }) => `<li><a href="${at}">${at}</a>`).join('')}</ul>`;

  const answer = async (req: IncomingMessage): Promise<Reply> => {
    const { pathname, searchParams } = new URL(req.url ?? '/', origin);
    if (pathname === '/') return { body: home };
    if (pathname === '/robots.txt') return { type: 'text/plain', body: 'User-agent: *\nAllow: /\n' };
    if (pathname === '/lib/show.js') return js(showScript);
    if (pathname.startsWith('/lib/')) return scriptOr404((await bundles()).get(pathname));
    const [, name = '', number = '', ...rest] = pathname.split('/');
    const kind = byName.get(name);
    if (kind === undefined || !/^\d+$/.test(number)) return { status: 404 };
    const place = placeOf(`/${name}/${number}`);
    const file = rest.join('/');
    if (file === '') {
      const page = await kind.page(place);
      return typeof page === 'string' ? { body: page } : page;
    }
    const asked = {
      method: req.method ?? 'GET',
      file,
      query: searchParams,
      cookie: req.headers.cookie ?? '',
    };
    const own = kind.file?.(asked, place);
    if (own !== null && own !== undefined) return own;
    if (file === 'story.json') return json(place.story);
    const isLeaf = leaves.some((leaf) => leaf === file);
    return isLeaf ? { body: written(placeOf(pathname)) } : { status: 404 };
  };

  for (const server of servers)
    server.on('request', (req, res) => {
      const host = req.headers.host ?? '';
      const record: RequestRecord = {
        host,
        url: `http://${host}${req.url ?? ''}`,
        start: performance.now(),
        end: null,
        status: 0,
        userAgent: req.headers['user-agent'] ?? null,
      };
      records.push(record);
      res.on('close', () => {
        record.end = performance.now();
        if (res.headersSent) record.status = res.statusCode;
      });
      answer(req).then(
        (reply) => send(req, res, reply),
        (error: unknown) => res.destroy(error instanceof Error ? error : undefined),
      );
    });

  return {
    origin,
    pages: paths.map(({ kind, at }) => ({ kind, url: origin + at, truth: truthOf(kind, placeOf(at)) })),
    log: () => records,
    stop: async () => {
      await Promise.all(servers.map(closed));
    },
  };
}

const scriptOr404 = (script: string | undefined): Reply =>
  script === undefined ? { status: 404 } : js(script);

async function listening(server: Server): Promise<string> {
  const address = freshAddress();
  return `http://${address}:${String(await listen(server, address))}`;
}

async function send(req: IncomingMessage, res: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, type = 'text/html', body = '', headers = {}, delayMs = 0 } = reply;
  if (delayMs > 0) await after(delayMs);
  res.writeHead(status, {
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
