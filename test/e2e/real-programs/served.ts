/** Real web programs on loopback: a program with a server of its own, and one that speaks CGI (RFC 3875). */
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reservePort } from '../../../stack/ports.ts';
import { endProcess } from '../../../stack/processes.ts';
import { spawnTethered } from '../../../stack/tether.ts';
import { freshAddress, listen } from '../../support/loopback.ts';
import { until } from '../../support/until.ts';

export interface Served {
  /** Without a slash at its end. */
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Also where programs lie outside of an ordinary user's PATH. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

export const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), 'orbweaver-program-'));

export const isOnPath = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: searchPath } }).status === 0;

/** Runs a program to its end. @throws with what it wrote if it fails */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: options.cwd,
    env: { PATH: searchPath, LC_ALL: 'C.UTF-8', ...options.env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${String(status)}\n${stdout}\n${stderr}`);
  return stdout;
}

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program that serves by itself. It ends with this process, however this process ends.
 * @param folder of its own, removed in the end
 * @param prepare what it needs before, once its port is known
 * @param asked answers once it serves
 */
export async function serve(
  folder: string,
  prepare: (port: number) => Program | Promise<Program>,
  asked = '/',
): Promise<Served> {
  const reserved = await reservePort({ what: 'a program of tests', fixed: null, usual: null });
  const origin = `http://127.0.0.1:${String(reserved.port)}`;
  const { command, args, env } = await prepare(reserved.port);
  const output = openSync(path.join(folder, 'output.log'), 'a');
  const { id } = await spawnTethered({
    ...{ command, args, cwd: folder, output, stopSignal: 'SIGTERM', orphanGraceSeconds: 1 },
    env: { PATH: searchPath, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
  });
  closeSync(output);
  await until(`${command} answers`, () => fetch(origin + asked).catch(() => null));
  return {
    origin,
    stop: async () => {
      await endProcess(id, 'SIGTERM', 5_000);
      reserved.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Serves a CGI program at the root of an address of its own.
 * @param folder of its own, removed in the end
 * @param edit what becomes of each text
 */
export async function serveCgi(
  folder: string,
  program: string,
  env: Readonly<Record<string, string>>,
  edit: (text: string) => string = (text) => text,
): Promise<Served> {
  const address = freshAddress();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    const variables = {
      GATEWAY_INTERFACE: 'CGI/1.1',
      SERVER_PROTOCOL: 'HTTP/1.1',
      REQUEST_METHOD: request.method ?? 'GET',
      SCRIPT_NAME: '',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_URI: request.url ?? '/',
      SERVER_NAME: address,
      HTTP_HOST: request.headers.host ?? address,
      PATH: searchPath,
      ...env,
    };
    execFile(program, { env: variables, encoding: 'buffer', maxBuffer: 1 << 24 }, (_, stdout) => {
      const end = /\r?\n\r?\n/.exec(stdout.toString('latin1'));
      if (end === null) {
        response.writeHead(500).end();
        return;
      }
      let status = 200;
      const fields: [string, string][] = [];
      for (const line of stdout.toString('latin1').slice(0, end.index).split(/\r?\n/)) {
        const colon = line.indexOf(':');
        const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
        if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3));
        else fields.push([name, value]);
      }
      const body = stdout.subarray(end.index + end[0].length);
      const isText = fields.some(
        ([name, value]) => /^content-type$/i.test(name) && /^text\/|xml/.test(value),
      );
      response.writeHead(status, fields.flat()).end(isText ? edit(body.toString('utf8')) : body);
    });
  });
  const port = await listen(server, address);
  return {
    origin: `http://${address}:${String(port)}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
