import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findBrowser } from '../../browser/find.ts';
import { testFolder } from '../support/given.ts';

const program = (...parts: string[]): string => {
  const file = path.join(...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
};

it('finds what is set, then the shell on PATH, then the newest of Playwright', () => {
  const folder = testFolder();
  const env = { PATH: path.join(folder, 'bin'), PLAYWRIGHT_BROWSERS_PATH: path.join(folder, 'own') };
  const none = findBrowser(null, env);
  expect(none).toEqual({
    none: expect.stringMatching(/chromium-headless-shell.* is on PATH, and .*own has none/) as string,
  });

  program(folder, 'own', 'chromium_headless_shell-99', 'chrome-linux', 'headless_shell');
  const newest = program(folder, 'own', 'chromium_headless_shell-1203', 'chrome-linux', 'headless_shell');
  expect(findBrowser(null, env)).toEqual({ program: newest });
  const whole = program(folder, 'bin', 'chromium');
  expect(findBrowser(null, env)).toEqual({ program: whole });
  const shell = program(folder, 'bin', 'chromium-headless-shell');
  expect(findBrowser(null, env)).toEqual({ program: shell });
  expect(findBrowser(whole, env)).toEqual({ program: whole });

  expect(findBrowser(path.join(folder, 'nowhere'), env)).toEqual({
    none: expect.stringContaining('nowhere') as string,
  });
  expect(findBrowser('off', env)).toEqual({ none: expect.stringContaining('off') as string });
});
