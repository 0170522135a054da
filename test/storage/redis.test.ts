import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('loading Redis leaves string properties as quick as they were', () => {
  const redis = new URL('../../storage/redis.ts', import.meta.url).href;
  const program = `await import(${JSON.stringify(redis)}); process.stdout.write(String(%HasFastProperties(String.prototype)));`;
  const flags = ['--allow-natives-syntax', '--input-type=module'];
  expect(execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' })).toBe('true');
});
