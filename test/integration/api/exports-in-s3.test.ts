/** Exports that go to a bucket: uploaded by parts, taken up where an upload was cut, downloaded from there, removed. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExportView } from '../../../contracts/http/exports.ts';
import type { ExportTools } from '../../../engine/exports/job.ts';
import { makeExport } from '../../support/stints.ts';
import { openObjects, type ObjectStore } from '../../../storage/archive/index.ts';
import { ExportFiles } from '../../../storage/exports/index.ts';
import { s3Program } from '../../programs/s3-server.ts';
import { startFaultyS3, type FaultyS3 } from '../../s3/faulty.ts';
import { access, startS3, type S3Server } from '../../s3/server.ts';
import { ask } from './asking.ts';
import { storeCrawl, toolsFor, type Stored } from './exported.ts';
import { serve, type Api, withServices } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const program = s3Program();
const mib = 1024 ** 2;
const never = new AbortController().signal;

describe.skipIf(program === null)('in S3 (needs `npm run test-programs`)', () => {
  const services = withServices();
  const folder = ownFolder();
  let server: S3Server;
  let network: FaultyS3;
  let bucket: ObjectStore;
  let crawl: Stored;
  let tools: ExportTools;
  let api: Api;
  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', access.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', access.secretAccessKey);
    server = await startS3(program ?? '');
    network = await startFaultyS3(server.port);
    const place = {
      bucket: server.bucket,
      endpoint: `http://127.0.0.1:${String(network.port)}`,
      region: null,
    };
    const opened = await openObjects({ ...place, prefix: 'some/', pathStyle: true });
    if (opened === null) throw new Error('there is no bucket');
    bucket = opened;
    crawl = await storeCrawl(services.pool, folder, 30);
    const files = new ExportFiles(path.join(folder, 'exports'), bucket);
    tools = { ...toolsFor(services.pool, crawl.archive, folder), files };
    api = await serve(services.pool, { archive: crawl.archive, exports: { files, days: 7 } });
  });
  afterAll(async () => {
    await api.stop();
    await network.close();
    await server.stop();
    vi.unstubAllEnvs();
  });

  it('an upload that was cut short is taken up at the part where it was', async () => {
    const bytes = randomBytes(20 * mib);
    const asked: number[] = [];
    const part = (at: number, length: number): Promise<Buffer> => {
      asked.push(at / mib);
      return Promise.resolve(bytes.subarray(at, at + length));
    };
    let left = 2;
    expect(await bucket.take('exports/cut', bytes.length, part, () => Promise.resolve(left-- > 0))).toBe(
      false,
    );
    expect(await bucket.size('exports/cut')).toBeNull();
    expect(await bucket.take('exports/cut', bytes.length, part, () => Promise.resolve(true))).toBe(true);
    expect(asked).toEqual([0, 8, 16]);
    expect(readFileSync(server.fileOf('some/exports/cut')).equals(bytes)).toBe(true);
    expect(await server.uploads()).toEqual([]);
    // Whoever was killed before it noted the end finds it done.
    expect(await bucket.take('exports/cut', bytes.length, part, () => Promise.resolve(true))).toBe(true);
    expect(asked).toHaveLength(3);
  });

  it('the file leaves the folder, is downloaded from the bucket, and removed from there', async () => {
    const here = `/v1/crawls/${crawl.id}/exports`;
    const asking = { format: 'jsonl', to: 'bucket' };
    const { id } = (await ask<ExportView>(api.url, api.key, 'POST', here, asking)).body;
    await makeExport(tools, id, () => true, never);
    const { body: view } = await ask<ExportView>(api.url, api.key, 'GET', `${here}/${id}`);
    expect(view).toMatchObject({
      state: 'finished',
      phase: 'bucket',
      object: expect.stringMatching(/^some\/exports\//) as unknown,
    });
    const object = server.fileOf(view.object ?? '');
    expect(readdirSync(path.join(folder, 'exports'))).toEqual([]);
    const stored = readFileSync(object);
    expect(stored.toString().trimEnd().split('\n')).toHaveLength(30 + 4);
    const rest = await fetch(`${api.url}${here}/${id}/file`, { headers: { range: 'bytes=500-' } });
    expect([rest.status, Buffer.from(await rest.arrayBuffer())]).toEqual([206, stored.subarray(500)]);
    expect((await ask(api.url, api.key, 'DELETE', `${here}/${id}`)).status).toBe(200);
    expect(existsSync(object)).toBe(false);
  });
});
