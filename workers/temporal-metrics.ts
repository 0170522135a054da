/**
 * What Temporal's SDK measures in its native part, which serves it by HTTP alone, at a port that it must be told. The
 * process asks there at each scrape and adds the answer to its own, so that it has one address for all.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';

export interface TemporalMetrics {
  /** Host and port, which no crawl may reach. */
  readonly place: string;
  readonly exporter: MetricsExporterConfig;
  /** In the text format of Prometheus. Rejects where it does not answer. */
  readonly read: () => Promise<string>;
}

/** Milliseconds for the answer of this very process. */
const askMs = 5_000;

/** At an address of this machine that nobody else uses, where the system has more than one. */
export async function temporalMetrics(): Promise<TemporalMetrics> {
  const part = (): string => String(randomInt(1, 255));
  const host = process.platform === 'linux' ? `127.${part()}.${part()}.${part()}` : '127.0.0.1';
  const place = `${host}:${String(await freePort(host))}`;
  return {
    place,
    exporter: {
      attachServiceName: false,
      prometheus: {
        bindAddress: place,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
      },
    },
    read: async () => {
      const answer = await fetch(`http://${place}/metrics`, { signal: AbortSignal.timeout(askMs) });
      if (!answer.ok) throw new Error(`Temporal's SDK answered ${String(answer.status)}`);
      return answer.text();
    },
  };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
