/** The synthetic web on loopback: one listener a host, pages rendered once, every request in the log. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import {
  answerTrap,
  busyTurnsAway,
  isFailing,
  isTurnedAway,
  reluctantTurnsAway,
  isInside,
} from './misfits.ts';
import { freshAddress, listen } from '../support/loopback.ts';
import type { RequestRecord } from './log.ts';
import { renderPage } from './page.ts';
import { hostName } from './names.ts';
import { defaultWebOptions, type WebOptions } from './options.ts';
import { planWeb, type Plan } from './plan.ts';
import { shellHtml, shellScript } from './shells.ts';
import type { Page, ShellFile, Site } from './site.ts';
import { robotsFor } from './wrinkles.ts';

export interface ListenOptions {
  /**
   * ports: one address of loopback, a port each; names: 127.0.0.1, a port and a name (names.ts) each; one-port: 127.0.0.1
   * and a port, a name each, for more hosts than a process may have open files; addresses: 127.77.x.y each.
   */
  readonly spread: 'ports' | 'names' | 'one-port' | 'addresses';
  /** The first host's port (ports: counted up; addresses: the same for all); 0: any free one. */
  readonly basePort: number;
  /** After so many requests no answer comes before that; null: none waits. */
  readonly held: { readonly after: number; readonly until: Promise<void> } | null;
  /** Render every page before the web is up, so that measurements do not pay for it (bytes × pages of memory). */
  readonly warm: boolean;
}

export interface Web {
  readonly plan: Plan;
  /** Of each host, in order; `http://authority`. */
  readonly origins: readonly string[];
  /** The `/` of each host. */
  readonly seeds: readonly string[];
  /** Every request so far, in order of arrival; those in flight have no end yet. */
  readonly log: () => readonly RequestRecord[];
  /** Closes all connections and listeners. */
  stop(): Promise<void>;
}

const listenOptions: ListenOptions = { spread: 'ports', basePort: 0, held: null, warm: false };

interface Rendered {
  readonly head: string[];
  readonly etag: string;
  readonly body: Buffer;
}

class Host {
  readonly authority: string;
  private readonly rendered = new Map<Page, Rendered>();
  private readonly late = new Set<NodeJS.Timeout>();
  private turnedAway = 0;
  private pageRequests = 0;
  private readonly requestsOf = new Map<string, number>();
  private readonly plan: Plan;
  private readonly site: Site;
  private readonly records: RequestRecord[];
  private readonly held: ListenOptions['held'];

  constructor(plan: Plan, site: Site, records: RequestRecord[], held: ListenOptions['held']) {
    this.plan = plan;
    this.site = site;
    this.records = records;
    this.held = held;
    this.authority = new URL(site.origin).host;
  }

  warm(): void {
    for (const resource of this.site.resources) if (resource.kind === 'page') this.render(resource);
  }

  close(): void {
    for (const timer of this.late) clearTimeout(timer);
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const record: RequestRecord = {
      host: this.authority,
      url: this.site.origin + (req.url ?? ''),
      start: performance.now(),
      end: null,
      status: 0,
      userAgent: req.headers['user-agent'] ?? null,
    };
    this.records.push(record);
    // 'close' follows 'finish' in the same turn of the event loop, so no later request can be logged between them.
    res.on('close', () => {
      record.end = performance.now();
      if (res.headersSent) record.status = res.statusCode;
    });
    if (this.held !== null && this.records.length > this.held.after) {
      void this.held.until.then(() => {
        this.answer(req, res, record);
      });
      return;
    }
    const { latencyMs, slowMs } = this.plan.options;
    const { misfit } = this.site;
    const wait = misfit === 'slow' || misfit === 'patient' ? slowMs : latencyMs;
    if (wait === 0) {
      this.answer(req, res, record);
      return;
    }
    const timer = setTimeout(() => {
      this.late.delete(timer);
      this.answer(req, res, record);
    }, wait);
    this.late.add(timer);
  }

  private answer(req: IncomingMessage, res: ServerResponse, record: RequestRecord): void {
    const path = req.url ?? '/';
    const { misfit } = this.site;
    if (path === '/robots.txt') {
      if (misfit === 'unruly') send(res, 500, 'out of order');
      else if (misfit === 'reluctant' && this.turnedAway++ < reluctantTurnsAway) send(res, 503, 'not now');
      else send(res, 200, robotsFor(this.plan.options, this.site));
      return;
    }
    if (misfit === 'failing') {
      send(res, 500, 'out of order');
      return;
    }
    if (misfit === 'busy' && this.turnedAway < busyTurnsAway) {
      this.turnedAway++;
      record.retryAfterMs = this.plan.options.retryAfter * 1_000;
      send(res, 503, 'busy', { 'retry-after': String(this.plan.options.retryAfter) });
      return;
    }
    if (misfit === 'limited' && isTurnedAway(++this.pageRequests)) {
      this.turnAway(res, record);
      return;
    }
    const resource = this.site.byPath.get(path) ?? this.site.byPath.get(canonicalPath(path));
    if (misfit === 'flaky' && resource !== undefined) {
      const nth = (this.requestsOf.get(resource.path) ?? 0) + 1;
      this.requestsOf.set(resource.path, nth);
      if (isFailing(resource.index, nth)) {
        send(res, 500, 'out of order');
        return;
      }
    }
    if (resource === undefined) {
      if (misfit !== null && isInside(misfit, path)) answerTrap(misfit, req, res);
      else send(res, 404, '<h1>Not found</h1>', { 'content-type': 'text/html' });
      return;
    }
    switch (resource.kind) {
      case 'page':
        this.sendPage(resource, req, res);
        return;
      case 'file':
        sendFile(this.plan, resource, res);
        return;
      case 'redirect': {
        const to = resource.to ?? resource;
        const location =
          to.site === this.site && resource.index % 2 === 0 ? to.path : to.site.origin + to.path;
        send(res, resource.status, '', { location });
        return;
      }
      case 'missing':
        send(res, resource.status, '<h1>Gone</h1>', { 'content-type': 'text/html' });
        return;
      case 'sitemap':
        send(res, 200, sitemapXml(resource.lists.map((one) => one.site.origin + one.path)), {
          'content-type': 'application/xml',
        });
        return;
      case 'trap':
        if (misfit !== null) answerTrap(misfit, req, res);
    }
  }

  /** Seconds and dates in turn (RFC 9110 section 10.2.3); a date has whole seconds, so it is rounded up. */
  private turnAway(res: ServerResponse, record: RequestRecord): void {
    const seconds = this.plan.options.retryAfter;
    const date = new Date((Math.ceil((Date.now() + 100) / 1_000) + seconds) * 1_000);
    record.retryAfterMs = seconds * 1_000;
    const field = this.turnedAway++ % 2 === 0 ? String(seconds) : date.toUTCString();
    send(res, 429, 'too many', { 'retry-after': field });
  }

  private sendPage(page: Page, req: IncomingMessage, res: ServerResponse): void {
    const { head, etag, body } = this.render(page);
    if (req.headers['if-none-match'] === etag) {
      res.writeHead(304, { etag });
      res.end();
      return;
    }
    res.writeHead(200, head);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  private render(page: Page): Rendered {
    let rendered = this.rendered.get(page);
    if (rendered === undefined) {
      const original = page.copyOf ?? page;
      const body = original === page ? ownBody(this.plan, page) : this.render(original).body;
      const etag = `"${String(this.plan.options.seed)}-${String(original.index)}"`;
      const head = [
        'content-type',
        'text/html; charset=utf-8',
        'content-length',
        String(body.length),
        'etag',
        etag,
      ];
      if (page.nofollow === 'header') head.push('x-robots-tag', 'nofollow');
      rendered = { head, etag, body };
      this.rendered.set(page, rendered);
    }
    return rendered;
  }
}

const ownBody = (plan: Plan, page: Page): Buffer =>
  page.files.length > 0 ? Buffer.from(shellHtml) : renderPage(plan, page);

const sendFile = (plan: Plan, { of }: ShellFile, res: ServerResponse): void =>
  of === null
    ? send(res, 200, shellScript, { 'content-type': 'text/javascript' })
    : send(res, 200, renderPage(plan, of).toString());

function send(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  res.end(body);
}

/** Undoes what page.ts does to links: tracking parameters and the order of parameters. */
function canonicalPath(path: string): string {
  const query = path.indexOf('?');
  if (query < 0) return path;
  const kept = path
    .slice(query + 1)
    .split('&')
    .filter((pair) => !pair.startsWith('utm_'))
    .sort();
  return path.slice(0, query) + (kept.length > 0 ? `?${kept.join('&')}` : '');
}

function sitemapXml(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url.replaceAll('&', '&amp;')}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries}
</urlset>
`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

/** Most hosts that share an address of their web. */
const perAddress = 5_000;

/** Has a server listen for each host, or one for all. Answers the origins; those that listen are added to `servers`. */
async function listenForAll(full: WebOptions & ListenOptions, servers: Server[]): Promise<string[]> {
  const { spread, basePort } = full;
  const origins: string[] = [];
  let address = '127.0.0.1';
  let port = 0;
  for (let index = 0; index < full.hosts + full.misfits.length; index++) {
    // An origin that can be told beforehand is one on 127.0.0.1.
    if (spread === 'ports' && basePort === 0 && index % perAddress === 0) address = freshAddress();
    if (spread === 'addresses')
      address = `127.77.${String(Math.floor(index / 250))}.${String(1 + (index % 250))}`;
    if (spread !== 'one-port' || index === 0) {
      const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 });
      servers.push(server);
      port = basePort + (spread === 'addresses' ? 0 : index);
      if (basePort === 0) port = await listen(server, address);
      else await once(server.listen(port, address), 'listening');
    }
    const name = spread === 'names' || spread === 'one-port' ? hostName(index) : address;
    origins.push(`http://${name}:${String(port)}`);
  }
  return origins;
}

/** Starts the web; rejects when a port is taken, with nothing left listening. */
export async function startWeb(options: Partial<WebOptions & ListenOptions> = {}): Promise<Web> {
  const full: WebOptions & ListenOptions = { ...defaultWebOptions, ...listenOptions, ...options };
  const records: RequestRecord[] = [];
  const servers: Server[] = [];
  const origins = await listenForAll(full, servers).catch(async (error: unknown) => {
    await Promise.all(servers.map(close));
    throw error;
  });
  const plan = planWeb(full, origins);
  const hosts = plan.sites.map((site) => new Host(plan, site, records, full.held));
  const byName = new Map(hosts.map((host) => [host.authority, host]));
  for (const [index, host] of hosts.entries()) {
    const server = servers[index];
    if (full.warm) host.warm();
    server?.on('request', (req, res) => {
      const asked = full.spread === 'one-port' ? byName.get(req.headers.host ?? '') : host;
      if (asked === undefined) res.writeHead(421).end();
      else asked.handle(req, res);
    });
    if (server !== undefined && plan.sites[index]?.misfit === 'refused') await close(server);
  }
  return {
    plan,
    origins,
    seeds: origins.map((origin) => `${origin}/`),
    log: () => records,
    stop: async () => {
      for (const host of hosts) host.close();
      await Promise.all(servers.filter((server) => server.listening).map(close));
    },
  };
}
