/** Metrics of Temporal's SDK beside those of the process. */
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { temporalMetrics } from '../../workers/temporal-metrics.ts';

it('are not there while the SDK does not give them', async () => {
  const { place, read } = await temporalMetrics();
  await expect(read()).rejects.toThrow('fetch failed');
  let status = 500;
  const server = createServer((_, response) => response.writeHead(status).end('a_total 1\n'));
  onTestFinished(() => void server.close());
  const [host, port] = place.split(':');
  await new Promise<void>((listening) => server.listen(Number(port), host, listening));
  await expect(read()).rejects.toThrow('answered 500');
  status = 200;
  expect(await read()).toBe('a_total 1\n');
});
