/** The metrics of a process as Prometheus reads them, and the port of its own on which a process serves them. */
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Logger } from 'pino';
import { countedSeries } from './counters.ts';
import type { Metric, Metrics } from './metric.ts';

export interface Scrape {
  readonly contentType: string;
  /** The text of one scrape. */
  read(): Promise<string>;
}

/**
 * Nothing is measured before the first scrape.
 * @param look what the metrics of the list are read from
 * @param others further metrics in the text format, of other names
 */
export function scrapeOf<Now>(
  list: Metrics<Now>,
  look: () => Now | Promise<Now>,
  others: () => Promise<string> = () => Promise.resolve(''),
): Scrape {
  const registry = new Registry();
  let fill: ((now: Now) => void) | null = null;
  return {
    contentType: registry.contentType,
    read: async () => {
      const now = await look();
      fill ??= register(registry, list);
      fill(now);
      const [own, rest] = await Promise.all([registry.metrics(), others()]);
      return own + rest;
    },
  };
}

/** Makes the series; returns the function that fills those that are read. */
function register<Now>(registry: Registry, list: Metrics<Now>): (now: Now) => void {
  collectDefaultMetrics({ register: registry });
  // Gauges by the names of counters, which Prometheus advises against; those without `_total` tell the same by kind.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const fills = Object.entries<Metric<Now>>(list).map(([name, { type, help, labels, from }]) => {
    if (from === 'counted') {
      registry.registerMetric(countedSeries(name));
      return () => undefined;
    }
    const labelNames = Object.keys(labels);
    const [label = ''] = labelNames;
    const of = { name: `orbweaver_${name}`, help, labelNames, registers: [registry] };
    const series = type === 'gauge' ? new Gauge(of) : new Counter(of);
    return (now: Now): void => {
      const figures = from(now);
      series.reset();
      if (typeof figures === 'number') series.inc(figures);
      else for (const [value, figure] of Object.entries(figures)) series.inc({ [label]: value }, figure);
    };
  });
  return (now) => {
    for (const each of fills) each(now);
  };
}

/**
 * Serves `GET /metrics` on the first of the ports that is free, for this machine alone: several processes of a machine
 * have the same setting. If none is free, a warning says so, and the work goes on. Returns the function that ends it.
 * @param ports none: nothing is served
 */
export async function serveMetrics(
  scrape: Scrape,
  ports: readonly number[],
  log: Logger,
): Promise<() => void> {
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    // A web page that has given this machine a name of its own has no answer.
    const isLocal = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '');
    if (method !== 'GET' || url !== '/metrics' || !isLocal) {
      response.writeHead(404).end();
      return;
    }
    scrape.read().then(
      (text) => response.writeHead(200, { 'content-type': scrape.contentType }).end(text),
      (error: unknown) => {
        log.warn({ err: error }, 'the metrics could not be read');
        response.writeHead(503).end();
      },
    );
  });
  // A scrape keeps no process alive.
  server.unref();
  for (const port of ports) {
    if (!(await listens(server, port))) continue;
    log.info({ port }, 'metrics are served to this machine');
    return () => {
      server.close();
      server.closeAllConnections();
    };
  }
  if (ports.length > 0) log.warn({ ports }, 'no port for the metrics is free: they are not served');
  return () => undefined;
}

const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise((listening) => {
    const taken = (): void => {
      listening(false);
    };
    server.once('error', taken);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', taken);
      listening(true);
    });
  });
