/** Metrics of Temporal's SDK beside those of the process. */
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { temporalMetrics } from '../../workers/temporal-metrics.ts';

it('are left out, and the log says so, while the SDK does not give them', async () => {
  const told: string[] = [];
  const warn = (_about: unknown, message: string): void => void told.push(message);
  const { place, read } = await temporalMetrics({ warn } as unknown as Parameters<typeof temporalMetrics>[0]);
  expect(await read()).toBe('');
  let status = 500;
  const server = createServer((_, response) => response.writeHead(status).end('a_total 1\n'));
  onTestFinished(() => void server.close());
  const [host, port] = place.split(':');
  await new Promise<void>((listening) => server.listen(Number(port), host, listening));
  expect(await read()).toBe('');
  expect(told).toHaveLength(2);
  status = 200;
  expect(await read()).toBe('a_total 1\n');
  expect(told).toHaveLength(2);
});
