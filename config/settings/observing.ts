/** What the processes tell of themselves: logs and traces. */
import { decimal, endpoint, oneOf } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const observingSettings = {
  logLevel: setting({
    name: 'ORBWEAVER_LOG_LEVEL',
    type: 'fatal, error, warn, info, debug or trace',
    schema: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    fallback: 'info',
    description:
      'Lowest level of messages that workers and API log; SIGUSR2 changes it while a process runs ([logs.md](logs.md)).',
  }),
  otlp: nullable({
    name: 'ORBWEAVER_OTLP',
    type: 'URL',
    schema: endpoint,
    fallback: null,
    defaultNote: 'none: nothing is traced',
    description:
      'Where [traces](logs.md#traces) go: a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. `OTEL_EXPORTER_OTLP_HEADERS` may hold its key. No crawl reaches it.',
  }),
  traceSample: setting({
    name: 'ORBWEAVER_TRACE_SAMPLE',
    type: 'number from 0 to 1',
    schema: decimal(0, 1),
    fallback: '0.01',
    description: 'Share of the traces that are sent. Those with an error are sent whatever the share.',
  }),
} as const;
