/**
 * The file by which Prometheus finds the processes of a stack: it can be its configuration, or one of the
 * `scrape_config_files` of another.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { createdKey } from '../../contracts/tenancy.ts';
import { CommandError } from '../ending.ts';
import { createApi } from '../api/api.ts';
import { localApi } from '../api/target.ts';
import type { StartedStack } from './stack.ts';

/** @throws CommandError if the stack has no API, or the file cannot be written */
export async function writeScrapeFile(file: string, stack: StartedStack): Promise<void> {
  const { apiUrl, dataDir, metricsPorts = {} } = stack;
  if (apiUrl === null) throw new CommandError('The stack has no API, which knows the totals.');
  const job = { job_name: 'orbweaver', scrape_interval: '15s' };
  const configs = [
    {
      ...job,
      static_configs: Object.entries(metricsPorts).map(([process, port]) => ({
        targets: [`127.0.0.1:${String(port)}`],
        labels: { process },
      })),
    },
    {
      ...job,
      job_name: 'orbweaver-instance',
      authorization: { credentials_file: await keyFile(apiUrl, dataDir, stack.localKey.key) },
      static_configs: [{ targets: [new URL(apiUrl).host], labels: { process: 'api' } }],
    },
  ];
  const text = `# Written by orbweaver up --prometheus at each start.\n${stringify({ scrape_configs: configs })}`;
  await write(file, text, 0o644).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file} cannot be written: ${why}`);
  });
}

/** The file of a key that reads the totals and nothing else; it is made once for a data folder. */
async function keyFile(apiUrl: string, dataDir: string, admin: string): Promise<string> {
  const file = path.join(dataDir, 'metrics-key');
  const known = await readFile(file, 'utf8').catch(() => '');
  const headers = { authorization: `Bearer ${known.trim()}` };
  const answer = known === '' ? null : await fetch(new URL('/metrics', apiUrl), { headers });
  await answer?.body?.cancel();
  // Revoked, or of another database.
  if (answer?.status === 401 || answer === null) {
    const wanted = { name: 'prometheus', role: 'reader', scopes: ['metrics'] };
    const { key } = await createApi(localApi(apiUrl, admin)).create('/v1/keys', createdKey, wanted);
    await write(file, `${key}\n`, 0o600);
  }
  return file;
}

async function write(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}
