import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget, crawledBy, median, medianRun, quantile, slope, table } from '../../bench/figures.ts';
import { meter } from '../../bench/meter.ts';

describe('figures', () => {
  it('takes the middle of a run, the lower of two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2);
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([50, 99, 100]);
    const run = (pages: number) => ({ pages, seconds: 2, wallSeconds: 3, cpuSeconds: 1, peakMegabytes: 1 });
    expect(medianRun([run(10), run(30), run(20)]).pages).toBe(20);
    expect(() => medianRun([])).toThrow(RangeError);
  });

  it('finds the slope of any line', () => {
    const number = fc.integer({ min: -1_000, max: 1_000 });
    fc.assert(
      fc.property(number, number, fc.uniqueArray(number, { minLength: 2 }), (rise, offset, xs) => {
        expect(slope(xs.map((x) => ({ x, y: rise * x + offset })))).toBeCloseTo(rise, 6);
      }),
    );
    expect(slope([{ x: 1, y: 5 }])).toBe(0);
  });

  it("counts different pages by the web's log, from the first request to the end of the last page", () => {
    const seen = (path: string, start: number, end: number | null, status = 200) => ({
      ...{ host: '127.0.0.1:1', url: `http://127.0.0.1:1${path}`, start, end, status, userAgent: null },
    });
    const log = [
      seen('/robots.txt', 1_000, 1_500),
      seen('/', 2_000, 2_500),
      seen('/a', 2_600, 4_000),
      seen('/', 3_000, 3_100),
      seen('/gone', 5_000, 6_000, 404),
      seen('/robots.txt', 7_000, 8_000),
    ];
    expect(crawledBy(log)).toEqual({ pages: 2, seconds: 3 });
  });

  it('lines columns up', () => {
    const rows = [
      ['name', 'n'],
      ['a', '1000'],
    ];
    expect(table(rows)).toBe('name     n\na     1000');
  });
});

/** 0.3 s of processor time, however busy the machine is. */
const burn = 'while (process.cpuUsage().user < 300_000);';

describe('the meter', () => {
  it.skipIf(process.platform !== 'linux')('counts what grandchildren use', async () => {
    const hold = 'globalThis.held = Buffer.alloc(80e6, 1); console.log("held"); process.stdin.resume()';
    const grandchild = `${burn}${hold}`;
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' })`,
        grandchild,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const watch = meter(child.pid ?? 0, 20);
    await once(child.stdout, 'data');
    watch.stop();
    child.stdin.end();
    await once(child, 'close');
    const { cpuSeconds, peakMegabytes } = watch.read();
    expect(cpuSeconds).toBeGreaterThan(0.1);
    expect(peakMegabytes).toBeGreaterThan(120);
  });

  it('tells what a worker spends by its threads, and what a page costs by stage', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'orbweaver-stages-'));
    try {
      await mkdir(path.join(folder, 'workers'));
      const script = path.join(folder, 'workers', 'main.mjs');
      await writeFile(script, `${burn} console.log("done"); process.stdin.resume();`);
      const child = spawn(process.execPath, [script], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, ORBWEAVER_ROLES: 'extract' },
      });
      const watch = meter(child.pid ?? 0, 20);
      await once(child.stdout, 'data');
      watch.stop();
      child.stdin.end();
      await once(child, 'close');
      expect([...watch.spent().keys()]).toEqual(['extract']);
      expect(watch.spent().get('extract')?.get('JavaScript')).toBeGreaterThan(0.1);
    } finally {
      await rm(folder, { recursive: true });
    }
    const of = (...works: [string, number][]) => new Map(works);
    const spending = {
      start: new Map([['extract', of(['JavaScript', 1])]]),
      end: new Map([
        ['Postgres', of(['', 2])],
        ['extract', of(['JavaScript', 4], ['files', 3])],
      ]),
      web: 0.5,
    };
    expect(budget(spending, 1_000)).toEqual([
      ['CPU', 'ms a page', 'of all', 's before the first request'],
      ['extract', '6.00', '75 %', '1.0'],
      ['  JavaScript', '3.00', '38 %', '1.0'],
      ['  files', '3.00', '38 %', '0.0'],
      ['Postgres', '2.00', '25 %', '0.0'],
      ['all', '8.00', '100 %', '1.0'],
      ['(the web)', '0.50', '', ''],
    ]);
  });
});
