/** The scripts of `completion`, the one for bash in a bash; the others in their shells where there are such. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionScript, shells } from '../../cli/tools/completion.ts';
import { createProgram } from '../../cli/program.ts';
import { runCli } from './run-cli.ts';

const program = await createProgram(() => undefined);

function completed(...typed: string[]): string[] {
  const script = `${completionScript(program, 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orbweaver; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', 'orbweaver', ...typed], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it('knows verbs, the verbs below them, options and their values', () => {
    expect(completed('cra')).toEqual(['crawl', 'crawls']);
    expect(completed('crawls', 's')).toEqual(['start']);
    expect(completed('crawl', 'https://a.example/', '--max-p')).toContain('--max-pages');
    expect(completed('crawl', '--scope', '')).toEqual(['host', 'domain', 'prefix', 'any']);
    expect(completed('crawls', 'start', '--scope', 'p')).toEqual(['prefix']);
    expect(completed('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(completed('crawl', '--max-pages', '')).toEqual([]);
    expect(completed('up', '--ke')).toEqual([]);
  });

  it.each(shells)('knows every verb and option there is: %s', async (shell) => {
    const { code, stdout } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    const walk = (command: typeof program): void => {
      for (const { long, hidden } of command.options)
        if (!hidden) expect(stdout).toContain(shell === 'fish' ? `-l '${(long ?? '').slice(2)}'` : long);
      for (const each of command.commands) {
        expect(stdout).toContain(each.name());
        walk(each);
      }
    };
    walk(program);
    const { error, status, stderr } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    if (error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
