/**
 * Plays a WACZ back as a browser would: wabac reads it by ranges from a server, and keeps its index in an IndexedDB in
 * memory. Arguments: wabac's folder, the file. Reads URLs from standard input, a line each, and answers each with a line
 * of JSON: status and SHA-256 of what a reader of that URL gets; null: nothing.
 */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { sendRange } from './ranges.ts';

const [folder = '', file = ''] = process.argv.slice(2);
const server = createServer((request, response) => sendRange(file, request, response));
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const { port } = server.address() as AddressInfo;

const load = (module: string): Promise<unknown> =>
  import(pathToFileURL(path.join(folder, 'node_modules', module)).href);
// Standard output is for answers: wabac tells its progress there.
console.log = console.error;
Object.assign(globalThis, { self: globalThis });
await load('fake-indexeddb/auto/index.mjs');
interface Answer {
  readonly status: number;
  getBuffer(): Promise<Uint8Array | null>;
}
interface Wabac {
  readonly WorkerLoader: new (worker: object) => {
    addCollection(
      data: object,
      onProgress: (percent: number, error?: unknown) => void,
    ): Promise<
      | {
          store: {
            getResource(request: object, prefix: string, event: object, how: object): Promise<Answer | null>;
          };
        }
      | false
    >;
  };
  readonly ArchiveRequest: new (wanted: string, request: Request) => object;
}
const { WorkerLoader, ArchiveRequest } = (await load('@webrecorder/wabac/dist/swlib.js')) as Wabac;
const loaded = await new WorkerLoader({ addEventListener: () => undefined }).addCollection(
  { name: 'played', file: { sourceUrl: `http://127.0.0.1:${String(port)}/played.wacz` } },
  (percent, error) => {
    if (error !== undefined && error !== null) console.error(percent, error);
  },
);
if (loaded === false) throw new Error('wabac could not load the file');
for await (const url of createInterface({ input: process.stdin })) {
  const request = new ArchiveRequest(`mp_/${url}`, new Request(url));
  const answer = await loaded.store.getResource(request, '', {}, { noRedirect: true });
  const body = answer === null ? null : await answer.getBuffer();
  const told = answer === null ? null : { status: answer.status, sha: hash('sha256', body ?? Buffer.of()) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
process.exit();
