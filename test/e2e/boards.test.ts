/**
 * A real Prometheus scrapes a stack by the file that `up` writes, and each graph of each board has data from a small
 * crawl (F42).
 *
 * @module-tag deep
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { boards } from '../../boards/boards.ts';
import { programEnvironment } from '../../config/environment.ts';
import { reservePort } from '../../stack/ports.ts';
import { runCliProcess, startCli } from '../cli/run-cli.ts';
import { ownFolder } from '../support/given.ts';
import { withHttpServer } from '../support/http-server.ts';
import { prometheus } from '../support/promtool.ts';
import { until } from '../support/until.ts';

const [dataDir, folder] = [ownFolder(), ownFolder()];
const pages = 12;
const site = withHttpServer(({ url = '' }, response) => {
  const number = Number(/^\/(\d+)$/.exec(url)?.[1]);
  const isPage = number < pages;
  response.writeHead(url === '/robots.txt' || isPage ? 200 : 404, {
    'content-type': isPage ? 'text/html' : 'text/plain',
  });
  const links = [1, 2].map((step) => `<a href="/${String(number + step)}">on</a>`);
  response.end(
    isPage ? `<p>${links.join(' ')} <a href="/private">in</a>` : 'User-agent: *\nDisallow: /private',
  );
});

interface Answer {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

it.skipIf(prometheus === null)('have data of a real crawl (needs prometheus)', async () => {
  const scrape = path.join(folder, 'scrape.yml');
  const env = { ORBWEAVER_DATA: dataDir, ORBWEAVER_BROWSER: 'off' };
  const up = startCli(['up', '--prometheus', scrape], env);
  onTestFinished(async () => {
    up.process.kill('SIGTERM');
    await up.result;
  });
  await until('the file is written', () => {
    if (up.process.exitCode !== null) throw new Error(up.stderr());
    return Promise.resolve(existsSync(scrape));
  });

  const port = await reservePort({ what: 'Prometheus', fixed: null, usual: null });
  onTestFinished(port.release);
  const rules = path.join(import.meta.dirname, '../../boards/prometheus/alerts.yml');
  const written = readFileSync(scrape, 'utf8');
  const config = path.join(folder, 'prometheus.yml');
  writeFileSync(config, `${written.replaceAll('15s', '1s')}\nrule_files: ['${rules}']\n`);
  const address = `127.0.0.1:${String(port.port)}`;
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'tsdb')}`];
  const server = spawn('prometheus', [...options, `--web.listen-address=${address}`], {
    env: programEnvironment(),
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  });
  const ask = async (expr: string): Promise<Answer['data']['result']> => {
    const query = new URLSearchParams({ query: expr.replaceAll('$__rate_interval', '1m') });
    const answer = await fetch(`http://${address}/api/v1/query?${query.toString()}`).catch(() => null);
    if (answer === null || answer.status === 503) return [];
    expect(answer.status, expr).toBe(200);
    return ((await answer.json()) as Answer).data.result;
  };

  // A rate needs a figure from before what it counts.
  const targets = (written.match(/127\.0\.0\.1:\d+/g) ?? []).length;
  await until('all processes are scraped', async () => {
    const [sum] = await ask('sum(up)');
    return Number(sum?.value[1]) === targets;
  });
  const crawl = ['crawl', `${site.origin}/0`, '--delay', '0.3', '--allow-private', '127.0.0.0/8', '--json'];
  // The opt-out comes last: Prometheus has seen by then that there was none.
  for (const args of [crawl, ['opt-out', 'add', 'example.com']]) {
    const { code, stderr } = await runCliProcess(args, env);
    expect(code, stderr).toBe(0);
  }

  const left = new Map(
    boards.flatMap(({ name, graphs }) =>
      graphs.flatMap(({ title, lines }) =>
        Object.values(lines).map((expr) => [`${name}: ${title}: ${expr}`, expr] as const),
      ),
    ),
  );
  expect(left.size).toBeGreaterThan(60);
  const lacking = async (): Promise<string[]> => {
    for (const [name, expr] of left)
      if ((await ask(expr)).some(({ value }) => value[1] !== 'NaN')) left.delete(name);
    return [...left.keys()];
  };
  await expect.poll(lacking, { interval: 1_000 }).toEqual([]);
  expect(await ask('count(up == 1) - count(up)')).toMatchObject([{ value: [expect.anything(), '0'] }]);

  // One that starts anew is where it was.
  const begun = 'process_start_time_seconds{process="worker"}';
  const [before] = await ask(begun);
  process.kill(Number(readFileSync(path.join(dataDir, 'run/worker.pid'), 'utf8')), 'SIGKILL');
  await until('the new one is scraped', async () => {
    const [now] = await ask(`${begun} > ${String(before?.value[1])}`);
    return now !== undefined;
  });
});
