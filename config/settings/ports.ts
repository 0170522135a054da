/** Loopback ports of the embedded stack, and those of the metrics. */
import { port, whole } from '../values.ts';
import { nullable, setting, type Nullable } from './setting.ts';

/** Where the processes of a stack serve metrics if no port is set for it; a taken one is replaced by a free one. */
export const usualMetricsPort = 9464;

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

/** Ports of which a process takes the first that is free. @param first as it is set; null: no metrics are served */
export const metricsPorts = ({
  metricsPort: first,
  metricsPorts: count,
}: {
  readonly metricsPort: number | null;
  readonly metricsPorts: number;
}): number[] =>
  first === null ? [] : Array.from({ length: count }, (_, at) => first + at).filter((each) => each <= 65_535);

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
    description:
      'First of some loopback ports in a row: each worker and API of the machine serves its own metrics at `/metrics` on the first that is free. Those of an embedded stack have one each. No crawl reaches any of them.',
  }),
  metricsPorts: setting({
    name: 'ORBWEAVER_METRICS_PORTS',
    type: '1–64',
    schema: whole(1, 64),
    fallback: '16',
    description: 'Number of these ports.',
  }),
} as const;
