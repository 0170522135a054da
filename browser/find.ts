/** Where the browser is: as set, on PATH, or where Playwright puts its own. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The shell first: it starts faster, and draws only when told. */
const names = ['chromium-headless-shell', 'headless_shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** In a folder of Playwright's downloads, newest last by their names. */
const playwrightFolders: readonly (readonly [folder: RegExp, programs: readonly string[]])[] = [
  [
    /^chromium_headless_shell-\d+$/,
    ['chrome-headless-shell-linux64/chrome-headless-shell', 'chrome-linux/headless_shell'],
  ],
  [/^chromium-\d+$/, ['chrome-linux64/chrome', 'chrome-linux/chrome']],
];

export type Search =
  | { readonly program: string }
  /** What to tell people: where was looked, and what to do. */
  | { readonly none: string };

const runs = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

function* downloaded(folder: string): Generator<string> {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return;
  }
  const numberOf = (entry: string) => Number(entry.slice(entry.lastIndexOf('-') + 1));
  for (const [pattern, programs] of playwrightFolders)
    for (const entry of entries
      .filter((each) => pattern.test(each))
      .sort((a, b) => numberOf(b) - numberOf(a)))
      for (const program of programs) yield path.join(folder, entry, program);
}

/**
 * @param set program by setting; null: it is looked for; `off`: none is wanted
 * @param env PATH, HOME and PLAYWRIGHT_BROWSERS_PATH are read
 */
export function findBrowser(set: string | null, env: Readonly<Record<string, string | undefined>>): Search {
  if (set === 'off') return { none: 'no browser: ORBWEAVER_BROWSER is off' };
  if (set !== null)
    return runs(set)
      ? { program: set }
      : { none: `no browser: ORBWEAVER_BROWSER names ${set}, which is no program that can be run` };
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const playwright =
    env['PLAYWRIGHT_BROWSERS_PATH'] ?? path.join(env['HOME'] ?? '/', '.cache', 'ms-playwright');
  for (const file of names.flatMap((name) => folders.map((folder) => path.join(folder, name))))
    if (runs(file)) return { program: file };
  for (const file of downloaded(playwright)) if (runs(file)) return { program: file };
  return {
    none:
      `no browser: none of ${names.join(', ')} is on PATH, and ${playwright} has none. ` +
      'On Debian: apt-get install chromium-headless-shell',
  };
}
