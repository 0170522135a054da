/** stack/prepare-namespace.ts: what a deployment runs once on a Temporal that is not embedded. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import { entryScript } from '../../../config/package.ts';
import { searchAttributes } from '../../../contracts/workflows.ts';

const run = (env: Record<string, string>) =>
  spawnSync(process.execPath, [entryScript('stack/prepare-namespace')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...env },
  });

it('makes the namespace, with 30 days of retention and our search attributes, as often as it is run', async () => {
  const { temporalAddress } = inject('stack');
  const namespace = `deployed_${randomBytes(4).toString('hex')}`;
  const env = { ORBWEAVER_TEMPORAL_ADDRESS: temporalAddress, ORBWEAVER_TEMPORAL_NAMESPACE: namespace };
  for (let time = 0; time < 2; time++) expect(run(env)).toMatchObject({ status: 0, stderr: '' });

  const connection = await Connection.connect({ address: temporalAddress });
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  await connection.close();
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
});

it('says what is missing', () => {
  expect(run({})).toMatchObject({ status: 1, stderr: 'ORBWEAVER_TEMPORAL_ADDRESS must be set.\n' });
});
