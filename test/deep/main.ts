/**
 * `npm run deep`: all that `npm run verify` leaves out, at its full depth, one after the other, with one summary. Takes
 * some hours. Goes on after a part has failed, and exits 1 if one has.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const parts: readonly (readonly [name: string, ...command: string[]])[] = [
  ['checks', 'run', 'checks'],
  ['all tests', 'test', '--', 'test'],
  ['fuzzing of the API', 'run', 'conformance'],
  ['mutations of workflows', 'run', 'mutations'],
  ['traps and real documentation', 'run', 'traps'],
  ['faults', 'run', 'chaos'],
  ['pressure', 'run', 'soak:pressure', '--', '--seconds', '60'],
  ['many names', 'run', 'soak:names'],
  ['seeded faults', 'run', 'seeded'],
];

const root = path.join(import.meta.dirname, '..', '..');
const ended = parts.map(([name, ...command]) => {
  process.stdout.write(`\n== ${name}: npm ${command.join(' ')}\n`);
  const began = performance.now();
  const { status } = spawnSync('npm', command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_DEPTH: 'deep' },
  });
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  return { name, minutes, passed: status === 0 };
});
process.stdout.write('\n');
for (const { name, minutes, passed } of ended) {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${minutes.padStart(6)} min  ${name}\n`);
}
process.exitCode = ended.every(({ passed }) => passed) ? 0 : 1;
