/** What Debian's package `prometheus` brings. Tests that need it are skipped by name where it is not installed. */
import { spawnSync } from 'node:child_process';

const found = (program: string): string | null =>
  spawnSync(program, ['--version']).status === 0 ? program : null;

export const promtool = found('promtool');
export const prometheus = found('prometheus');

/** What `promtool check metrics` finds fault with; nothing: an empty text. */
export function lint(metrics: string): string {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  });
  return stdout + stderr;
}
