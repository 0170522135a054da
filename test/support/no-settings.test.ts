/** A test must not write into the folder, bucket or database of a real instance that the shell names. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const set = `Object.keys(process.env).filter((name) => name.startsWith('ORBWEAVER_')).join()`;

it('takes every setting of the shell away, from here and from children', () => {
  const module = new URL('no-settings.ts', import.meta.url).href;
  const script = `await import(${JSON.stringify(module)}); process.stdout.write(${set});`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ORBWEAVER_DATA: '/srv/real', ORBWEAVER_S3_BUCKET: 'real' },
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, '']);
  expect(Object.keys(process.env).filter((name) => name.startsWith('ORBWEAVER_'))).toEqual([]);
});
