/** The metrics of a process as Prometheus reads them, and the port of its own on which a process serves them. */
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Logger } from 'pino';
import { isStorageOutage } from '../../storage/postgres/index.ts';
import { countedSeries, countFailure } from './counters.ts';
import type { Metric, Metrics, Sources } from './metric.ts';

export interface Scrape {
  readonly contentType: string;
  /** The text of one scrape. */
  read(): Promise<string>;
}

/** Thrown where a metric asks for a group that could not be read. */
class LostGroup extends Error {}

/**
 * Nothing is measured before the first scrape. A group of figures that cannot be read leaves the others: what is made of
 * it is not served, and that is logged and counted. Only without Postgres there is no scrape of what Postgres tells.
 * @param sources where the groups are read from of which the metrics of the list are made
 * @param temporal those of Temporal's SDK, in the text format
 */
export function scrapeOf<Now extends object>(
  list: Metrics<Now>,
  sources: Sources<Now>,
  log: Pick<Logger, 'warn' | 'info'>,
  temporal: () => Promise<string> = () => Promise.resolve(''),
): Scrape {
  const registry = new Registry();
  let fill: ((now: Now) => void) | null = null;
  const failing = new Set<string>();
  const orLost = async <T>(group: string, read: () => T | Promise<T>): Promise<T | LostGroup> => {
    try {
      const figures = await read();
      if (failing.delete(group)) log.info({ group }, 'figures can be read again');
      return figures;
    } catch (error) {
      if (isStorageOutage(error)) throw error;
      countFailure(group);
      if (!failing.has(group))
        log.warn({ group, err: error }, 'the metrics lack figures that cannot be read');
      failing.add(group);
      return new LostGroup();
    }
  };
  return {
    contentType: registry.contentType,
    read: async () => {
      const [ofTemporal, ...groups] = await Promise.all([
        orLost('temporal', temporal),
        ...Object.entries<() => unknown>(sources).map(
          async ([group, read]) => [group, await orLost(group, read)] as const,
        ),
      ]);
      const now = new Proxy(Object.fromEntries(groups) as Now, {
        get: (all, group): unknown => {
          const figures: unknown = Reflect.get(all, group);
          if (figures instanceof LostGroup) throw figures;
          return figures;
        },
      });
      fill ??= register(registry, list);
      fill(now);
      const own = await registry.metrics();
      return ofTemporal instanceof LostGroup ? own : own + ofTemporal;
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
      let figures;
      try {
        figures = from(now);
      } catch (error) {
        if (!(error instanceof LostGroup)) throw error;
        // An old figure, or 0, would be taken for the present one.
        registry.removeSingleMetric(of.name);
        return;
      }
      registry.registerMetric(series);
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
