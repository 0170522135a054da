/**
 * `npm run conformance`: every operation of the OpenAPI document is tried by Schemathesis with good and bad input, with
 * a key and without, against the API over Postgres. No workers run, so that nobody is sent what it makes up.
 *
 * Fails on a 5xx, on an answer that the document does not name, and on one that is not of its schema.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const version = '4.32.5';
const root = path.join(import.meta.dirname, '..', '..');
const folder = path.join(homedir(), '.cache', 'orbweaver', `schemathesis-${version}`);
const program = path.join(folder, 'bin', 'schemathesis');

if (!existsSync(program)) {
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    const pip = path.join(folder, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', `schemathesis==${version}`], { stdio: 'inherit' });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Python 3 with venv, and a way to Schemathesis ${version}, are needed.`, {
      cause: error,
    });
  }
}
// A URL of the greatest length makes a head beyond Node's 16 KiB: it would be refused with 431 and a cut connection.
const options = `${process.env.NODE_OPTIONS ?? ''} --max-http-header-size=1048576`.trim();
const { status } = spawnSync(
  process.execPath,
  [
    path.join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project',
    'stack',
    'test/integration/api/conformance.test.ts',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: options, SCHEMATHESIS_PROGRAM: program },
  },
);
process.exitCode = status ?? 1;
