/** The site that the crawl in the data folder of each release is in the middle of: always the same, at the same place. */
import { createServer } from 'node:http';

/** Below the ports that systems hand out, at addresses of loopback that no test draws. */
const place = { port: 9_781, hosts: ['127.96.20.1', '127.96.20.2'] } as const;
const pages = 24;
const linksOfPage = 3;

const urlOf = (host: string, page: number): string =>
  `http://${host}:${String(place.port)}/${page === 0 ? '' : `p${String(page)}`}`;

export const seeds = place.hosts.map((host) => urlOf(host, 0));
export const allPages = place.hosts.flatMap((host) =>
  Array.from({ length: pages }, (_, page) => urlOf(host, page)),
);

export interface ReleaseSite {
  /** URLs of pages that were asked for, in the order of their requests. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Each page leads to three further ones, as a tree. */
export async function startSite(): Promise<ReleaseSite> {
  const asked: string[] = [];
  const servers = place.hosts.map((host) =>
    createServer((request, response) => {
      const page = request.url === '/' ? 0 : Number(/^\/p(\d+)$/.exec(request.url ?? '')?.[1] ?? NaN);
      if (!(page < pages)) {
        response.writeHead(404).end();
        return;
      }
      asked.push(urlOf(host, page));
      const next = Array.from({ length: linksOfPage }, (_, at) => page * linksOfPage + at + 1);
      const links = next
        .filter((to) => to < pages)
        .map((to) => `<a href="/p${String(to)}">${String(to)}</a>`);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<title>Page ${String(page)}</title><p>Of ${host}. ${links.join(' ')}</p>`);
    }),
  );
  await Promise.all(
    servers.map(
      (server, at) =>
        new Promise<void>((listening, failed) => {
          server.once('error', failed);
          server.listen(place.port, place.hosts[at], listening);
        }),
    ),
  );
  return {
    asked,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      }
    },
  };
}
