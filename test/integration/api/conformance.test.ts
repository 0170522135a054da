/** The API against its own OpenAPI document; see test/conformance/main.ts, which runs this. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromNow, tables } from '../../support/database/index.ts';
import { newCrawl, withServices, withServed } from './world.ts';

const program = process.env.SCHEMATHESIS_PROGRAM;
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

describe.skipIf(program === undefined)('the OpenAPI document (npm run conformance)', () => {
  const services = withServices();
  const api = withServed(services.pool, { anonymous: true });
  beforeAll(async () => {
    await newCrawl(services.pool);
    // The instance is ready all along: a 503 of readyz would be told as a server's fault.
    await tables.worker.add(services.pool, {
      ...{ id: randomUUID(), roles: ['control'], started_at: fromNow(), seen_at: fromNow(3_600) },
    });
  });

  async function run(...more: readonly string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(
      String(program),
      [
        ...['run', `${api.url}/openapi.json`, '--url', api.url, '--checks', checks.join(',')],
        ...['--seed', '20261121', '--max-examples', '10'],
        // It never ends on its own while the crawl runs. Nothing else takes long; the limit only ends what hangs.
        // Nor is a page asked for: nobody fetches here, so each request would wait as long as it says, 120 s at most.
        ...['--request-timeout', '120', '--exclude-path-regex', '/events$|^/v1/fetch$', '--no-color'],
        ...more,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, output: output.join('') };
  }

  /** Both, or it makes one up for the other. */
  const withKey = (): string[] =>
    ['Authorization', 'API-X-TOKEN'].flatMap((name) => ['--header', `${name}: Bearer ${api.key}`]);

  it('is kept with a key', { tags: ['long'] }, async () => {
    const { code, output } = await run('--phases', 'examples,coverage', ...withKey());
    expect(code, output).toBe(0);
  });

  it('is kept with a key, whatever is made up', { tags: ['deep'] }, async () => {
    const { code, output } = await run('--phases', 'fuzzing', ...withKey());
    expect(code, output).toBe(0);
  });

  it('is kept without one', { tags: ['long'] }, async () => {
    // Each route is asked as its examples say. Nearly all is refused at the gate, whatever else is made up.
    const { code, output } = await run('--phases', 'examples');
    expect(code, output).toBe(0);
  });
});
