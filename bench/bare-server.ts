/**
 * The yardstick of the API: a node:http server that answers one file, with the head it was told, and looks at nothing.
 * `node bench/bare-server.ts FILE` prints its address; the file is JSON: {"headers": {…}, "body": "…"}.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const { headers, body } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}\n`);
});
