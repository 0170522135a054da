/** Places of backups that are none. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../support/given.ts';
import { runCli } from './run-cli.ts';

it.each(['s3://', 's3:/bucket', 'ftp://a.example/b', 'file:///b'])(
  'a mistyped place makes no folder of that name: %s',
  async (place) => {
    const { code, stderr } = await runCli(['backup', place]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be a folder or s3://bucket/prefix')]);
  },
);

it('no backup lies in the data folder, and none is listed where no folder is', async () => {
  const data = testFolder();
  const inside = await runCli(['backup', path.join(data, 'backups')], { ORBWEAVER_DATA: data });
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('would be lost with it')]);
  const none = await runCli(['backup', 'list', path.join(data, 'none')]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('There is no folder')]);
});
