/** Loopback ports of the embedded stack. */
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

export const portSettings = {
  apiPort: nullable(stackPort('ORBWEAVER_API_PORT', 'api', 'the API')),
  temporalPort: nullable(stackPort('ORBWEAVER_TEMPORAL_PORT', 'temporal', 'the embedded Temporal')),
  temporalUiPort: nullable(
    stackPort('ORBWEAVER_TEMPORAL_UI_PORT', 'temporalUi', 'the embedded Temporal Web'),
  ),
  postgresPort: nullable(stackPort('ORBWEAVER_POSTGRES_PORT', 'postgres', 'the embedded Postgres')),
  redisPort: nullable(stackPort('ORBWEAVER_REDIS_PORT', 'redis', 'the embedded Redis')),
} as const;
