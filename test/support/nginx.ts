/** nginx on loopback in front of a folder, in one process with everything it writes in a folder of its own. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reservePort } from '../../stack/ports.ts';
import { endProcess } from '../../stack/processes.ts';
import { spawnTethered } from '../../stack/tether.ts';
import { until } from './until.ts';
import type { RequestRecord } from '../web/log.ts';

export interface Nginx {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /**
   * Requests that have ended, in order of their end. `start` and `end` are epoch milliseconds, rounded down, so a
   * difference of two is wrong by less than 1.
   */
  log(): RequestRecord[];
  stop(): Promise<void>;
}

// Also where nginx lies outside of an ordinary user's PATH.
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

export const hasNginx = (): boolean => spawnSync('nginx', ['-v'], { env: { PATH: searchPath } }).status === 0;

const config = (folder: string, port: number): string => `
daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events {}
http {
  types { text/html html; text/css css; image/svg+xml svg; }
  log_format requests escape=json
    '{"end":$msec,"took":$request_time,"uri":"$request_uri","status":$status,"agent":"$http_user_agent"}';
  access_log access.log requests;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${String(port)};
    root "${folder}";
  }
}
`;

interface Line {
  /** Epoch seconds, to the millisecond. */
  readonly end: number;
  /** Seconds, to the millisecond. */
  readonly took: number;
  readonly uri: string;
  readonly status: number;
  readonly agent: string;
}

/** Starts nginx, which ends with this process, however this process ends. */
export async function startNginx(folder: string): Promise<Nginx> {
  const prefix = mkdtempSync(path.join(tmpdir(), 'orbweaver-nginx-'));
  const reserved = await reservePort({ what: 'nginx', fixed: null, usual: null });
  const authority = `127.0.0.1:${String(reserved.port)}`;
  const origin = `http://${authority}`;
  writeFileSync(path.join(prefix, 'nginx.conf'), config(folder, reserved.port));
  mkdirSync(path.join(prefix, 'logs'));
  const output = openSync(path.join(prefix, 'output.log'), 'a');
  const { id } = await spawnTethered({
    command: 'nginx',
    args: ['-p', prefix, '-c', 'nginx.conf', '-e', 'error.log'],
    env: { PATH: searchPath },
    cwd: prefix,
    stopSignal: 'SIGTERM',
    orphanGraceSeconds: 1,
    output,
  });
  closeSync(output);
  // This request has a method that no crawler sends, and that the log leaves out.
  const answers = () => fetch(origin, { method: 'OPTIONS' }).catch(() => null);
  await until('nginx answers', answers);
  const probes = () => readFileSync(path.join(prefix, 'access.log'), 'utf8').split('\n').length - 1;
  await until('nginx has logged that', () => probes() > 0);
  const skipped = probes();
  return {
    origin,
    log: () => {
      const lines = readFileSync(path.join(prefix, 'access.log'), 'utf8').split('\n');
      // The last piece is empty, or a line that is being written.
      return lines.slice(skipped, -1).map((text) => {
        const { end, took, uri, status, agent } = JSON.parse(text) as Line;
        const endMs = Math.round(end * 1_000);
        return {
          host: authority,
          url: origin + uri,
          start: endMs - Math.round(took * 1_000),
          end: endMs,
          status,
          userAgent: agent,
        };
      });
    },
    stop: async () => {
      await endProcess(id, 'SIGTERM', 5_000);
      reserved.release();
      rmSync(prefix, { recursive: true, force: true });
    },
  };
}
