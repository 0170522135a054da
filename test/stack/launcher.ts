/**
 * Stands for `orbweaver up` in tests: a process of its own that starts a stack with stand-ins for worker and API.
 * Prints one JSON line, {"up": …} or {"refused": message}; stops at SIGTERM.
 */
import path from 'node:path';
import { loadConfig } from '../../config/config.ts';
import { startStack } from '../../stack/embedded.ts';
import { StackError } from '../../stack/errors.ts';

const script = (name: string): string => path.join(import.meta.dirname, name);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const stack = await startStack({
    config: loadConfig(),
    owner: 'up',
    ports: process.argv.includes('usual') ? 'usual' : 'any',
    migrate: () => Promise.resolve(),
    scripts: { worker: script('stand-in-worker.ts'), api: script('stand-in-api.ts') },
  });
  process.once('SIGTERM', () => void stack.stop());
  say({ up: { ...stack, config: undefined, stop: undefined, done: undefined } });
  await stack.done;
} catch (error) {
  say({ refused: error instanceof StackError ? error.message : String(error) });
}
