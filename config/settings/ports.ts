/** Loopback ports of the embedded stack, and those of the metrics. */
import { port } from '../values.ts';
import { nullable, type Nullable } from './setting.ts';

/** Ports of the embedded stack when none is set; a taken one is replaced by a free one. */
export const usualPorts = {
  api: 7700,
  temporal: 7233,
  temporalUi: 8233,
  postgres: 5433,
  redis: 6380,
} as const;
export type PortName = keyof typeof usualPorts;

const stackPort = (name: string, of: PortName, what: string): Nullable<number> => ({
  name,
  type: 'port',
  schema: port,
  fallback: null,
  defaultNote: `${String(usualPorts[of])}, or a free port if that one is taken`,
  description: `Loopback port of ${what}. If this is set and the port is taken, the start fails.`,
});

/** Ports that a machine's processes may take for their metrics, each the first that is free. */
const metricsPortCount = 16;

/** @param first as it is set; null: no metrics are served */
export const metricsPorts = (first: number | null): number[] =>
  first === null
    ? []
    : Array.from({ length: metricsPortCount }, (_, at) => first + at).filter((each) => each <= 65_535);

export const portSettings = {
  apiPort: nullable(stackPort('ORBWEAVER_API_PORT', 'api', 'the API')),
  temporalPort: nullable(stackPort('ORBWEAVER_TEMPORAL_PORT', 'temporal', 'the embedded Temporal')),
  temporalUiPort: nullable(
    stackPort('ORBWEAVER_TEMPORAL_UI_PORT', 'temporalUi', 'the embedded Temporal Web'),
  ),
  postgresPort: nullable(stackPort('ORBWEAVER_POSTGRES_PORT', 'postgres', 'the embedded Postgres')),
  redisPort: nullable(stackPort('ORBWEAVER_REDIS_PORT', 'redis', 'the embedded Redis')),
  metricsPort: nullable({
    name: 'ORBWEAVER_METRICS_PORT',
    type: 'port',
    schema: port,
    fallback: null,
    defaultNote: 'none: no process serves metrics by itself',
    description: `First of ${String(metricsPortCount)} loopback ports in a row: each worker and API of the machine serves its own metrics at \`/metrics\` on the first that is free. No crawl reaches any of them.`,
  }),
} as const;
