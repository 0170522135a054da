/** `doctor`: each check finds what it is for, and says what to do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Check, Found, Place } from '../../cli/doctor/check.ts';
import { folderChecks } from '../../cli/doctor/folder.ts';
import { machineChecks } from '../../cli/doctor/machine.ts';
import { settingsChecks } from '../../cli/doctor/settings.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import { packagedPostgres } from '../../stack/postgres.ts';
import { takeLock } from '../../stack/lock.ts';
import { formatId, ownId } from '../../stack/processes.ts';
import { cert, key } from '../net/certificate.ts';
import { testFolder } from '../support/given.ts';
import { closedEndpoint, listen } from '../support/loopback.ts';
import { startNameServer } from '../support/name-server.ts';
import { jsonLines, runCli } from './run-cli.ts';

/** A machine that nobody else has, with settings that contradict nothing. */
const placeWith = (settings: Partial<Config> = {}): Place => ({
  config: { ...loadConfig({}), crawlerUrl: 'http://crawler.example/', dataDir: testFolder(), ...settings },
  running: null,
});
const named = (name: string): Check => {
  const check = [...settingsChecks, ...machineChecks, ...folderChecks].find((each) => each.name === name);
  if (check === undefined) throw new Error(`there is no check ${name}`);
  return check;
};
const look = async (name: string, settings?: Partial<Config>): Promise<Found> =>
  named(name).look(placeWith(settings));
/** One problem with these words. */
const problem = (says: RegExp, must = true): unknown => [
  { says: expect.stringMatching(says) as unknown, cure: expect.stringMatching(/\.$|chmod/) as unknown, must },
];

describe('settings', () => {
  it('that go together are fine', async () => {
    expect(await look('settings')).toBe('none contradicts another');
    // The bucket of backups is reached by these too.
    const s3 = {
      s3Endpoint: 'http://s3.example',
      s3Region: 'here',
      backupTarget: 's3://backups/all',
    };
    expect(await look('settings', s3)).toBe('none contradicts another');
  });

  it.each<[Partial<Config>, RegExp, boolean?]>([
    [{ databaseUrl: 'postgres://db/', temporalAddress: 't:7233', postgresPort: 5 }, /^ORBWEAVER_POSTGRES_PORT has no effect: ORBWEAVER_DATABASE_URL/, false],
    [{ s3Endpoint: 'http://s3.example' }, /^ORBWEAVER_S3_ENDPOINT has no effect: ORBWEAVER_S3_BUCKET is not set/, false],
    [{ jwtIssuer: 'us' }, /^ORBWEAVER_JWT_ISSUER has no effect/, false],
    [{ apiPort: 7, redisPort: 7 }, /^ORBWEAVER_API_PORT and another setting name the same port/],
    [{ jwksUrl: 'https://keys.example/', jwtIssuer: 'us' }, /ORBWEAVER_JWT_AUDIENCE is not: the API does not start/],
    [{ roles: ['render'], browser: 'off' }, /^ORBWEAVER_ROLES has render, and ORBWEAVER_BROWSER is off/],
    [{ databaseUrl: 'postgres://db/' }, /workflows of its own for the same hosts/, false],
    [{ crawlerUrl: null }, /tells nobody whom to ask/, false],
  ])('%j', async (settings, says, must) => {
    expect(await look('settings', settings)).toEqual(problem(says, must));
  }); // prettier-ignore
});

describe('certificates', () => {
  it('that nobody vouches for, and servers that are gone, are told by the setting that leads there', async () => {
    const server = createTlsServer({ cert, key });
    const url = `https://127.0.0.1:${String(await listen(server))}/`;
    onTestFinished(() => void server.close());
    expect(await look('certificates', { server: url })).toEqual(
      problem(/^The certificate of ORBWEAVER_SERVER cannot be used: self-signed certificate\b/),
    );
    const { address, port } = await closedEndpoint();
    expect(await look('certificates', { jwksUrl: `https://${address}:${String(port)}/` })).toEqual(
      problem(/^The certificate of ORBWEAVER_JWKS_URL cannot be used: connect ECONNREFUSED/),
    );
  });

  it('in files of the database are read', async () => {
    const file = path.join(testFolder(), 'ca.pem');
    writeFileSync(file, cert);
    const databaseUrl = (root: string): string => `postgres://db/?sslrootcert=${root}`;
    expect(await look('certificates', { databaseUrl: databaseUrl(file) })).toBe(
      'sslrootcert of ORBWEAVER_DATABASE_URL',
    );
    expect(await look('certificates', { databaseUrl: databaseUrl(`${file}.none`) })).toEqual(
      problem(/ENOENT/),
    );
  });
});

describe('the machine', () => {
  it('has a browser that can be run, or says what is missing', async () => {
    expect(await look('browser', { browser: 'off' })).toMatch(/^off/);
    expect(await look('browser', { browser: '/no/such/program' })).toEqual(
      problem(/no program that can be run/),
    );
    const broken = path.join(testFolder(), 'browser');
    writeFileSync(broken, '#!/bin/sh\necho error while loading libnss3.so >&2\nexit 127\n', { mode: 0o755 });
    expect(await look('browser', { browser: broken })).toEqual(
      problem(/does not start: error while loading libnss3\.so\.$/),
    );
  });

  it('has its ports free', async () => {
    const taken = createServer();
    const apiPort = await listen(taken);
    onTestFinished(() => void taken.close());
    await expect(look('ports', { apiPort })).rejects.toThrow(
      /^Port \d+ for the API is in use: free that port, set ORBWEAVER_API_PORT/,
    );
  });

  it('has resolvers that answer', async () => {
    const server = await startNameServer('127.0.0.1');
    onTestFinished(() => server.close());
    expect(await look('DNS', { dns: [server.address] })).toBe(`a resolver answers (${server.address})`);
    const { address, port } = await closedEndpoint();
    expect(await look('DNS', { dns: [`${address}:${String(port)}`] })).toEqual(
      problem(/^No resolver answers: .*\.$/),
    );
  });
});

describe('the data folder', () => {
  it('keeps its secrets to itself, and has the Postgres of this version', async () => {
    const dataDir = testFolder();
    expect(await look('data folder', { dataDir })).toBe(dataDir);
    mkdirSync(path.join(dataDir, 'postgres'));
    const major = packagedPostgres().version.split('.')[0] ?? '';
    writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), `${major}\n`);
    expect(await look('data folder', { dataDir })).toBe(dataDir);
    writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
    expect(await look('data folder', { dataDir })).toEqual(
      problem(/was made by Postgres 12, and this version/),
    );
    writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), `${major}\n`);
    writeFileSync(path.join(dataDir, 'admin-key'), 'secret');
    chmodSync(path.join(dataDir, 'admin-key'), 0o644);
    expect(await look('data folder', { dataDir })).toEqual(
      problem(/^Others may read the secret in .*admin-key\.$/),
    );
  });

  it('has no lock but of one who lives', async () => {
    const dataDir = testFolder();
    expect(await look('locks', { dataDir })).toBe('none');
    mkdirSync(path.join(dataDir, 'run'));
    const lock = path.join(dataDir, 'run', 'lock');
    writeFileSync(lock, '1 long-ago:1\n');
    expect(await look('locks', { dataDir })).toMatch(/^process 1 has left one/);
    writeFileSync(path.join(dataDir, 'run', 'temporal.id'), formatId(ownId()));
    expect(await look('locks', { dataDir })).toEqual(problem(/^temporal are still there without/, false));
    takeLock(lock);
    expect(await look('locks', { dataDir })).toEqual(problem(/holds .*, and no stack answers there/));
  });
});

it('the verb says one line a finding, and its exit code whether something must be cured', async () => {
  const server = await startNameServer('127.0.0.1');
  onTestFinished(() => server.close());
  const env = { ORBWEAVER_DATA: path.join(testFolder(), 'data'), ORBWEAVER_DNS: server.address, ORBWEAVER_BROWSER: 'off' };
  const well = await runCli(['doctor', '--quick', '--json'], env);
  expect(well).toMatchObject({ code: 0, stderr: '' });
  const checks = [...settingsChecks, ...machineChecks, ...folderChecks].map(({ name }) => name);
  const lines = jsonLines(well.stdout) as readonly { readonly check: string; readonly state: string }[];
  expect([...new Set(lines.map(({ check }) => check))]).toEqual([...checks, 'services']);
  expect(lines.filter(({ state }) => state === 'wrong')).toEqual([]);
  const bad = await runCli(['doctor', '--quick'], { ...env, ORBWEAVER_BROWSER: '/no/such/program' });
  expect(bad.code).toBe(3);
  expect(bad.stdout).toMatch(/^wrong {2}browser: .* Install one, or set ORBWEAVER_BROWSER\.$/m);
  const { address, port } = await closedEndpoint();
  const away = await runCli(['doctor'], {
    ...{ ...env, ORBWEAVER_TEMPORAL_ADDRESS: `${address}:${String(port)}` },
    ORBWEAVER_DATABASE_URL: `postgres://${address}:${String(port)}/orbweaver`,
  });
  expect(away.code).toBe(3);
  expect(away.stdout).toMatch(/^wrong {2}services: Postgres cannot be reached: .*ECONNREFUSED.*\. Repair that first\.$/m);
  const worse = await runCli(['doctor', '--quick'], { ...env, ORBWEAVER_SHARDS: '0' });
  expect(worse).toMatchObject({ code: 3, stdout: expect.stringMatching(/^wrong {2}settings: ORBWEAVER_SHARDS .*\n$/) as unknown });
}); // prettier-ignore
