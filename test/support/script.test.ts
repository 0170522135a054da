/** The command lines of benches and soaks. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { list, number, oneOf, whole } from './script.ts';

describe('an option', () => {
  it('is read', () => {
    expect(list(whole())('1,20')).toEqual([1, 20]);
    expect(number(0.1)('0.4')).toBe(0.4);
    expect(list(oneOf(['fast', 'slow']))('slow,fast')).toEqual(['slow', 'fast']);
  });

  it.each([
    [whole(), '0', /It is a number, 1 or more/],
    [whole(), '1.5', /whole number/],
    [whole(), '', /It is a number/],
    [whole(), '1e999', /whole number/],
    [number(0.1, 10), '11', /0\.1 to 10/],
    [number(0.1, 10), 'ten', /0\.1 to 10/],
    [list(oneOf(['fast', 'slow'])), 'fast,slo', /There is no slo; there are fast, slow/],
  ])('%# is refused with a sentence', (read, text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
  });
});

describe('a script', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [path.join(import.meta.dirname, '../../bench/freshness.ts'), ...args], {
      encoding: 'utf8',
    });

  it('tells its options', () => {
    const { status, stdout } = run('--help');
    expect([status, stdout]).toEqual([0, expect.stringContaining('npm run bench -- freshness [options]')]);
  });

  it.each([['--pages', 'x'], ['--pages'], ['--page-count', '3'], ['3']])(
    'ends with 2 at %j, and does nothing',
    (...args) => {
      const { status, stdout, stderr } = run(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: [^\n]+\n/);
    },
  );
});
