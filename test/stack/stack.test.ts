/** @module-tag long */
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../../stack/redis.ts';
import { findRunningStack, type StackInfo } from '../../stack/info.ts';
import { lives } from '../../stack/processes.ts';
import { createNamespace } from '../../stack/temporal.ts';
import { allGone, launch, makeFolder, pidOf, processesOf, type Launched } from './world.ts';
import { stopped } from '../support/freezing.ts';
import { until } from '../support/until.ts';

const isRoot = process.getuid?.() === 0;

const query = async (url: string, statement: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
};

const answers = {
  postgres: async ({ postgresUrl }: StackInfo) => (await query(postgresUrl, 'select 1')).length === 1,
  temporal: async ({ temporalAddress, temporalNamespace }: StackInfo) => {
    const connection = await Connection.connect({ address: temporalAddress, connectTimeout: 30_000 });
    try {
      const list = {
        namespace: temporalNamespace,
        query: 'CrawlState = "parked" AND QueueDepth > 3',
        pageSize: 1,
      };
      await connection.workflowService.listWorkflowExecutions(list);
      return true;
    } finally {
      await connection.close();
    }
  },
  api: async ({ apiUrl }: StackInfo) => (await fetch(`${String(apiUrl)}/healthz`)).status === 200,
  worker: () => Promise.resolve(true),
  redis: () => Promise.resolve(true),
};
type PartName = keyof typeof answers;
const parts = (Object.keys(answers) as PartName[]).filter((part) => part !== 'redis' || hasRedis());

const ok = (launched: Launched): NonNullable<Launched['answer']['up']> => {
  if (launched.answer.up === undefined) throw new Error(launched.answer.refused);
  return launched.answer.up;
};

describe('a stack', () => {
  const dataDir = makeFolder();
  let launched: Launched;
  let info: StackInfo;
  /** Another one on the same folder, as the tests go on. */
  const next = async (): Promise<void> => {
    launched = await launch(dataDir);
    info = ok(launched);
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    launched.process.kill(signal);
    await launched.ended;
  };

  beforeAll(next);
  afterAll(async () => {
    await end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each(parts)('has a %s that answers', async (part) => {
    expect(await answers[part](info)).toBe(true);
  });

  it('keeps closed runs for 30 days', async () => {
    const connection = await Connection.connect({ address: info.temporalAddress });
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('can be given further namespaces', async () => {
    await createNamespace(info.temporalAddress, 'another');
    expect(await answers.temporal({ ...info, temporalNamespace: 'another' })).toBe(true);
    await createNamespace(info.temporalAddress, 'another');
  });

  it('can be found by others, who cannot read its password', () => {
    expect(findRunningStack(dataDir)).toMatchObject({
      owner: 'up',
      apiUrl: info.apiUrl,
      postgresUrl: info.postgresUrl,
    });
    expect(statSync(path.join(dataDir, 'run', 'stack.json')).mode & 0o077).toBe(0);
    expect(statSync(path.join(dataDir, 'postgres.password')).mode & 0o077).toBe(0);
  });

  it('writes the password to no log', () => {
    const { password } = new URL(info.postgresUrl);
    expect(password).toHaveLength(32);
    const logs = path.join(dataDir, 'logs');
    for (const name of readdirSync(logs))
      expect(readFileSync(path.join(logs, name), 'utf8')).not.toContain(password);
  });

  it('refuses a second stack on its folder, naming process and folder', async () => {
    const second = await launch(dataDir);
    await second.ended;
    expect(second.answer.refused).toContain(dataDir);
    expect(second.answer.refused).toContain(`process ${String(launched.process.pid)}`);
    expect(await answers.api(info)).toBe(true);
  });

  it.each(parts)('starts %s again after kill -9', async (part) => {
    await query(info.postgresUrl, `create table before_${part} (n int)`);
    const pid = pidOf(dataDir, part);
    process.kill(pid, 'SIGKILL');
    const back = (): boolean => {
      try {
        return pidOf(dataDir, part) !== pid;
      } catch {
        return false;
      }
    };
    await until(`${part} has a new pid`, back);
    await until(`${part} answers`, () => answers[part](info).catch(() => false));
    expect(await query(info.postgresUrl, `select * from before_${part}`)).toEqual([]);
  });

  it('leaves nothing running when asked to stop, and keeps the data', async () => {
    await query(info.postgresUrl, 'create table kept (n int)');
    const running = processesOf(dataDir);
    expect(running.length).toBeGreaterThan(2 * parts.length);
    await end('SIGTERM');
    expect(allGone(running)).toBe(true);
    expect(readdirSync(path.join(dataDir, 'run'))).toEqual([]);
    expect(findRunningStack(dataDir)).toBeNull();
  });

  it('leaves alone a process that has the recycled pid of a part', async () => {
    const run = path.join(dataDir, 'run');
    writeFileSync(path.join(run, 'worker.id'), `${String(process.pid)} some-other-boot:1\n`);
    await next();
    expect(await query(info.postgresUrl, 'select * from kept')).toEqual([]);
  });

  it('leaves nothing running when its launcher is killed, and the next start needs no help', async () => {
    const running = processesOf(dataDir);
    await end('SIGKILL');
    expect(findRunningStack(dataDir)).toBeNull();
    await until('all are gone', () => allGone(running));
    await next();
    expect(await query(info.postgresUrl, 'select * from kept')).toEqual([]);
  });

  it('is cleaned up by the next start when launcher and leashes are all killed', async () => {
    const running = processesOf(dataDir);
    const services = parts.map((part) => pidOf(dataDir, part));
    // Stopped, it neither sees its leashes end, nor lets go of them.
    launched.process.kill('SIGSTOP');
    await stopped(launched.process.pid);
    const leashes = running.filter(
      (id) => lives(id) && readFileSync(`/proc/${String(id.pid)}/comm`, 'utf8').trim() === 'sh',
    );
    for (const { pid } of leashes) process.kill(pid, 'SIGKILL');
    await end('SIGKILL');
    const left = running.filter(({ pid }) => services.includes(pid));
    await next();
    expect(allGone(left)).toBe(true);
  });
});

describe('ports and folders', () => {
  const folder = makeFolder();
  const blocker = createServer();
  let taken = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    taken = (blocker.address() as AddressInfo).port;
  });
  afterAll(() => {
    blocker.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['API', 'TEMPORAL', 'TEMPORAL_UI', 'POSTGRES'])(
    'a taken port fixed for %s is refused',
    async (name) => {
      const launched = await launch(path.join(folder, 'fixed'), {
        [`ORBWEAVER_${name}_PORT`]: String(taken),
      });
      await launched.ended;
      expect(launched.answer.refused).toMatch(new RegExp(`^Port ${String(taken)} for .* is in use`));
      expect(launched.answer.refused).toContain(`ORBWEAVER_${name}_PORT`);
    },
  );

  it('a folder below a file is refused', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const launched = await launch(path.join(file, 'data'));
    expect(launched.answer.refused).toMatch(
      /^The data folder .*file\/data cannot be written: .*ORBWEAVER_DATA/,
    );
  });

  it.skipIf(!isRoot)('root is told of a folder that Postgres cannot reach', async () => {
    const closed = path.join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    mkdirSync(path.join(folder, 'x'), { recursive: true });
    const launched = await launch(path.join(closed, 'data'));
    await launched.ended;
    expect(launched.answer.refused).toMatch(/folder that the system user "postgres" cannot enter/);
  });
});
