/** The process of an API on the database of a newer version. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../../../stack/ports.ts';
import { tables } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const world = withDatabase();
const pool = withPool(world);
const folder = ownFolder();

interface Said {
  readonly level: number;
  readonly msg: string;
}

/** @param told gets each line that it logs. Answers its exit code, and its last line */
async function start(databaseUrl: string, port: number, told: (line: Said) => void = () => undefined) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('../../../api/main.ts', import.meta.url)),
    ],
    {
      env: {
        ...process.env,
        ORBWEAVER_DATABASE_URL: databaseUrl,
        ORBWEAVER_TEMPORAL_ADDRESS: '127.0.0.1:1',
        ORBWEAVER_DATA: folder,
        ORBWEAVER_API_PORT: String(port),
        ORBWEAVER_LOG_LEVEL: 'info',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number | null>((ended) => child.once('close', ended));
  let last: Said | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as Said;
    told(last);
  }
  return { code: await exit, last };
}

it('ends with what to do, also where Postgres answers only later', async () => {
  await tables.migration.add(pool, { name: '9999_of_tomorrow', run_on: new Date() });
  const direct = new URL(world.databaseUrl);
  const proxy = await startTcpProxy(Number(direct.port));
  onTestFinished(() => proxy.close());
  proxy.set('refusing');
  const later = new URL(direct);
  later.port = String(proxy.port);
  const { port, release } = await reservePort({ what: 'the API', fixed: null, usual: null });
  onTestFinished(release);
  const [atOnce, after] = await Promise.all([
    start(direct.href, port),
    start(later.href, port, ({ msg }) => {
      if (msg.startsWith('listening')) proxy.set('open');
    }),
  ]);
  const ended = {
    code: 1,
    last: {
      level: 60,
      msg: expect.stringMatching(/newer version.* 9999_of_tomorrow\. Start that newer version/) as string,
    },
  };
  expect(atOnce).toMatchObject(ended);
  expect(after).toMatchObject(ended);
});
