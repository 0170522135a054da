/**
 * The main job from the command line, on an embedded stack of its own: crawl, interrupt, resume, look.
 *
 * @module-tag long
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { jsonLines, startCli, type CliResult } from '../cli/run-cli.ts';
import type { Answer } from '../integration/activities/site.ts';
import { closedGate } from '../support/gate.ts';
import { ownFolder } from '../support/given.ts';
import { httpServer, withHttpServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';

const folder = ownFolder();
const requests: string[] = [];
/** Beyond ten requests no answer comes before the crawl is interrupted: it is not at its end by then. */
const interruption = closedGate();

const pageCount = 30;

/** A ring of pages, each with a link to the next two. */
function page(number: number): string {
  const link = (step: number): string => `<a href="/${String((number + step) % pageCount)}">on</a>`;
  return `<html lang="en"><title>Page ${String(number)}</title><p>This is page ${String(number)}. ${link(1)} ${link(2)}`;
}

const server = withHttpServer((request, response) => {
  const number = /^\/(\d+)$/.exec(request.url ?? '')?.[1];
  const answer: Answer = () => {
    response.statusCode = number === undefined ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end(number === undefined ? 'nothing' : page(Number(number)));
  };
  const count = requests.push(request.url ?? '');
  (count > 10 ? interruption.behind(answer) : answer)(response, request, count);
});
afterAll(() => {
  for (const cli of started) cli.process.kill('SIGKILL');
});

const started: ReturnType<typeof startCli>[] = [];
const orbweaver = (...args: string[]): ReturnType<typeof startCli> => {
  const cli = startCli(args, { ORBWEAVER_DATA: folder });
  started.push(cli);
  return cli;
};
const run = async (...args: string[]): Promise<CliResult> => orbweaver(...args).result;
const options = ['--allow-private', '127.0.0.0/8'];
/** @throws with what the command said when it ends before that */
const meanwhile = (what: string, cli: ReturnType<typeof startCli>, condition: () => boolean): Promise<void> =>
  until(
    what,
    () => {
      if (cli.process.exitCode !== null) throw new Error(cli.stderr());
      return condition();
    },
    600_000,
  );

const lastLine = (text: string): unknown => jsonLines(text.trimEnd().split('\n').at(-1) ?? '')[0];
const pagesIn = (file: string): Set<string> =>
  new Set(jsonLines(readFileSync(file, 'utf8')).map((line) => (line as { url: string }).url));

describe('the command line', () => {
  it('crawls, is interrupted, crawls something else, and goes on where it was', async () => {
    const first = orbweaver(
      'crawl',
      `${server.origin}/0`,
      ...options,
      '--delay',
      '0.3',
      '--json',
      '--out',
      '-',
    );
    let printed = 0;
    first.process.stdout?.on('data', (text: string) => (printed += text.length));
    await meanwhile('some requests came', first, () => requests.length > 5);
    const listed = await run('temporal', 'workflow', 'list', '--output', 'json');
    expect(listed.code, listed.stderr).toBe(0);
    expect(listed.stdout).toContain('"crawl/1"');
    expect(await run('temporal', '--version')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('temporal version') as string,
    });
    await meanwhile('pages are printed', first, () => printed > 0);
    first.process.kill('SIGINT');
    interruption.open();
    const interrupted = await first.result;
    expect(interrupted.stderr).toContain('./orbweaver resume 1 goes on with it');
    expect(interrupted.code).toBe(130);
    // Pages came while it ran, and they alone are on standard output.
    const early = jsonLines(interrupted.stdout) as { url: string; text: string }[];
    expect(early.length).toBeGreaterThan(0);
    expect(early.length).toBeLessThan(pageCount);
    expect(new Set(early.map(({ url }) => url)).size).toBe(early.length);
    expect(early[0]).toMatchObject({
      url: `${server.origin}/0`,
      text: expect.stringContaining('This is page 0.') as string,
    });
    expect(lastLine(interrupted.stderr)).toMatchObject({
      crawlId: '1',
      state: 'paused',
      reason: 'interrupted',
      deadLetters: {},
      parkedHosts: [],
    });
    const fetchedBefore = requests.length;

    const out = path.join(folder, 'other.jsonl');
    const other = await run(
      'crawl',
      `${server.origin}/0`,
      ...options,
      '--delay',
      '0',
      '--max-depth',
      '1',
      '--json',
      '--out',
      out,
    );
    expect(other.code, other.stderr).toBe(0);
    expect(other.stderr).toContain('Crawl 1 was interrupted');
    // The seed and its two links; links beyond are excluded. Nothing of crawl 1 went on meanwhile.
    expect(lastLine(other.stdout)).toMatchObject({
      state: 'finished',
      ledger: { queued: 0, leased: 0, done: 3 },
    });
    expect(pagesIn(out).size).toBe(3);
    expect(requests.length - fetchedBefore).toBeLessThanOrEqual(4);

    const all = path.join(folder, 'all.jsonl');
    const resumed = await run('resume', '--json', '--out', '-');
    writeFileSync(all, resumed.stdout);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(jsonLines(resumed.stdout)).toHaveLength(pageCount);
    expect(lastLine(resumed.stderr)).toMatchObject({
      crawlId: '1',
      state: 'finished',
      ledger: { discovered: pageCount, done: pageCount },
    });
    expect(pagesIn(all).size).toBe(pageCount);
    const [line] = jsonLines(readFileSync(all, 'utf8'));
    expect(line).toMatchObject({
      title: 'Page 0',
      status: 200,
      text: expect.stringContaining('This is page 0.') as string,
    });
  });

  it('waits for hosts no longer than it is told to, and goes on later', { tags: ['deep'] }, async () => {
    let isWell = false;
    const { origin, close } = await httpServer((request, response) => {
      const isSick = request.url === '/sick' && !isWell;
      response.statusCode = isSick ? 503 : request.url === '/robots.txt' ? 404 : 200;
      if (isSick) response.setHeader('retry-after', '3600');
      response.setHeader('content-type', 'text/html');
      response.end('<title>Here</title>');
    });
    const gaveUp = await run('crawl', `${origin}/sick`, ...options, '--delay', '0', '--give-up-after', '3');
    expect(gaveUp.code, gaveUp.stderr).toBe(4);
    const paused = /^Crawl (\d+) is paused \(only hosts that wait are left\)/.exec(gaveUp.stdout);
    const id = paused?.[1] ?? '';
    expect(id, gaveUp.stdout).not.toBe('');
    expect(gaveUp.stdout).toMatch(new RegExp(`waiting +${origin} until .*503.*, 1 URL\n`));
    expect(gaveUp.stderr).toContain(`./orbweaver resume ${id} goes on with it`);
    isWell = true;
    expect(await run('host', 'retry', origin)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is tried again') as string,
    });
    const resumed = await run('resume', '--json');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(lastLine(resumed.stdout)).toMatchObject({ crawlId: id, state: 'finished', pages: 1 });
    await close();
  });

  it('answers questions afterwards, and says when there is nothing to answer', async () => {
    const temporalLog = (): number => statSync(path.join(folder, 'logs', 'temporal.log')).mtimeMs;
    const before = temporalLog();
    expect(await run('audit', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('agree') as string,
    });
    const status = await run('status');
    expect(status.stdout).toMatch(
      /^No stack is running\.\ncrawl .*\n(?:3 +finished .*\n)?2 +finished .*\n1 +finished/,
    );
    // What only reads has Postgres and the API started, and nothing else.
    expect(temporalLog()).toBe(before);
  });

  it('resumes nothing where nothing was interrupted, and replays what ran', { tags: ['deep'] }, async () => {
    expect(await run('resume')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no interrupted crawl') as string,
    });
    expect(await run('replay')).toMatchObject({ code: 0 });
  });
});
