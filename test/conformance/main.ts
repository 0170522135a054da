/**
 * `npm run conformance`: every operation of the OpenAPI document is tried by Schemathesis with good and bad input, with
 * a key and without, against the API over Postgres. No workers run, so that nobody is sent what it makes up.
 *
 * Fails on a 5xx, on an answer that the document does not name, and on one that is not of its schema. `--install` only
 * sees to it that Schemathesis is there, and prints where.
 */
import { execFileSync, spawnSync, type ExecFileSyncOptions } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const version = '4.32.5';
const root = path.join(import.meta.dirname, '..', '..');
const folder = path.join(homedir(), '.cache', 'orbweaver', `schemathesis-${version}`);
const program = path.join(folder, 'bin', 'schemathesis');

if (!existsSync(program)) {
  try {
    const told: ExecFileSyncOptions = { stdio: ['ignore', 2, 2] };
    execFileSync('python3', ['-m', 'venv', folder], told);
    const pip = path.join(folder, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', `schemathesis==${version}`], told);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Python 3 with venv, and a way to Schemathesis ${version}, are needed.`, {
      cause: error,
    });
  }
}
if (process.argv.includes('--install')) {
  console.log(program);
} else {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = ['run', '--project', 'stack', 'test/integration/api/conformance.test.ts'];
  const { status } = spawnSync(process.execPath, [vitest, ...tests], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SCHEMATHESIS_PROGRAM: program },
  });
  process.exitCode = status ?? 1;
}
