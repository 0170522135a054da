/** A Temporal server as one runs it in earnest: history and visibility in Postgres, each service with ports of its own. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '../../config/environment.ts';
import { logTail } from '../../stack/logs.ts';
import { reservePort } from '../../stack/ports.ts';
import { endProcess } from '../../stack/processes.ts';
import { createNamespace } from '../../stack/temporal.ts';
import { spawnTethered } from '../../stack/tether.ts';
import { until } from '../support/until.ts';
import type { TemporalPrograms } from './programs.ts';

const dynamicConfig = fileURLToPath(new URL('../../deploy/temporal-dynamic-config.yaml', import.meta.url));
const services = ['frontend', 'history', 'matching', 'worker'] as const;
/** Can never change for a database. */
const historyShards = 4;
/** Of each of the four services: all of them stay below what the embedded Postgres allows. */
const connections = { default: 12, visibility: 6 };

export interface RealTemporal {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The server on a Postgres that it may make databases in, once a namespace can be made there. */
export async function startRealTemporal(
  programs: TemporalPrograms,
  postgresUrl: string,
  folder: string,
): Promise<RealTemporal> {
  const { hostname, port, username, password } = new URL(postgresUrl);
  const stores = { default: 'temporal', visibility: 'temporal_visibility' };
  for (const [schema, database] of Object.entries({
    temporal: stores.default,
    visibility: stores.visibility,
  })) {
    const tool = (...args: string[]): void => {
      execFileSync(
        programs.sqlTool,
        [...['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username, '--db', database], ...args],
        { env: { ...programEnvironment(), SQL_PASSWORD: password }, stdio: ['ignore', 'pipe', 'pipe'] },
      ); // prettier-ignore
    };
    tool('create');
    tool('setup-schema', '-v', '0.0');
    tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
  const reserved = await Promise.all(
    services.flatMap((service) => ['rpc', 'membership'].map((what) => `Temporal's ${service} (${what})`))
      .map((what) => reservePort({ what, fixed: null, usual: null })),
  ); // prettier-ignore
  const portOf = (index: number): number => reserved[index]?.port ?? 0;
  const address = `127.0.0.1:${String(portOf(0))}`;
  const store = (name: keyof typeof stores): object => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName: stores[name], connectAddr: `${hostname}:${port}` },
      ...{ connectProtocol: 'tcp', user: username, password, maxConnLifetime: '1h' },
      ...{ maxConns: connections[name], maxIdleConns: connections[name] },
    },
  });
  const config = {
    log: { stdout: true, level: 'error' },
    persistence: {
      ...{ numHistoryShards: historyShards, defaultStore: 'default', visibilityStore: 'visibility' },
      datastores: { default: store('default'), visibility: store('visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(
      services.map((service, at) => [
        service,
        {
          rpc: {
            ...{ grpcPort: portOf(2 * at), membershipPort: portOf(2 * at + 1), bindOnIP: '127.0.0.1' },
          },
        },
      ]),
    ),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    publicClient: { hostPort: address },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '1m' },
  };
  mkdirSync(path.join(folder, 'config'), { recursive: true });
  // JSON is YAML.
  writeFileSync(path.join(folder, 'config', 'real.yaml'), JSON.stringify(config), { mode: 0o600 });
  const log = path.join(folder, 'temporal-server.log');
  const output = openSync(log, 'w', 0o600);
  const server = await spawnTethered({
    command: programs.server,
    args: ['--root', folder, '--config', 'config', '--env', 'real', 'start'],
    env: { ...programEnvironment(), GOGC: '400' },
    cwd: folder,
    stopSignal: 'SIGTERM',
    orphanGraceSeconds: 5,
    output,
  });
  closeSync(output);
  let ended: number | null = null;
  void server.exited.then((code) => (ended = code));
  const stop = async (): Promise<void> => {
    await endProcess(server.id, 'SIGTERM', 15_000);
    await server.exited;
    for (const one of reserved) one.release();
  };
  try {
    await until('Temporal has its namespace', async () => {
      if (ended !== null) throw new Error(`Temporal's server has ended:\n${logTail(log, 0)}`);
      return createNamespace(address, 'default').then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, pid: server.id.pid, stop };
}
