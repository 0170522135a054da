/** A real S3 server on loopback with one bucket, on a folder of its own that goes with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { reservePort } from '../../stack/ports.ts';
import { until } from '../support/until.ts';

export const access = { accessKeyId: 'orbweaver-tests', secretAccessKey: 'a-secret-of-the-tests' };

export interface S3Server {
  readonly port: number;
  readonly bucket: string;
  /** A file in the server's folder. */
  readonly fileOf: (key: string) => string;
  /** Names of objects of which an upload was begun and neither ended nor given up. */
  uploads(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startS3(program: string): Promise<S3Server> {
  const root = mkdtempSync(path.join(tmpdir(), 'orbweaver-s3-'));
  const [objects, metadata, bucket] = [path.join(root, 'objects'), path.join(root, 'metadata'), 'segments'];
  for (const folder of [path.join(objects, bucket), metadata]) mkdirSync(folder, { recursive: true });
  const reserved = await reservePort({ what: 'the S3 server', fixed: null, usual: null });
  const { port } = reserved;
  const address = `127.0.0.1:${String(port)}`;
  const args = ['--port', address, '--access', access.accessKeyId, '--secret', access.secretAccessKey];
  // Extended attributes are not to be had on every file system.
  const child = spawn(program, [...args, '--quiet', 'posix', '--sidecar', metadata, objects], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const client = new S3Client({
    ...{ endpoint: `http://${address}`, region: 'us-east-1', forcePathStyle: true, credentials: access },
    maxAttempts: 1,
  });
  const uploads = async (): Promise<string[]> => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    return Uploads.map(({ Key = '' }) => Key);
  };
  await until('the S3 server answers', () =>
    uploads().then(
      () => true,
      (error: unknown) => {
        if (child.exitCode !== null) throw new Error('the S3 server has ended', { cause: error });
        return false;
      },
    ),
  );
  return {
    port,
    bucket,
    fileOf: (key) => path.join(objects, bucket, key),
    uploads,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      client.destroy();
      reserved.release();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
