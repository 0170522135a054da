/** docker-compose.yml is valid, publishes on loopback only, and gives our processes settings that they take. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadServiceConfig } from '../../config/config.ts';
import { settings } from '../../config/table.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** With the defaults of its variables. */
const file = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8').replaceAll(
  /\$\{\w+:-([^}]*)\}/g,
  '$1',
);
const compose = (...args: string[]) =>
  spawnSync('docker-compose', args, { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
const installed = compose('version').status === 0;

describe('docker-compose.yml', () => {
  it.skipIf(!installed)('is valid (needs docker-compose)', () => {
    expect(compose('config', '-q')).toMatchObject({ status: 0, stderr: '' });
  });

  it('publishes on loopback only', () => {
    const published = [...file.matchAll(/^ +ports: \['([^']+)'\]$/gm)].map(([, port]) => port);
    expect(published.length).toBe(file.match(/^ +ports:/gm)?.length);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  const services = Object.entries(
    (parse(file, { merge: true }) as { services: Record<string, Readonly<Record<string, unknown>>> })
      .services,
  );

  it('publishes Temporal Web by its guard alone', () => {
    const published = services.filter(([, service]) => 'ports' in service).map(([name]) => name);
    expect(published.sort()).toEqual(['api', 'postgres', 'temporal', 'temporal-web']);
    const [, guard] = services.find(([name]) => name === 'temporal-web') ?? [];
    expect(guard?.['command']).toBe('dist/stack/guard-temporal-web.js');
  });

  it('bounds the log and the memory of every service, and looks after each that does work', () => {
    for (const [name, service] of services) {
      expect(service['logging'], name).toMatchObject({ options: { 'max-size': '20m', 'max-file': '3' } });
      expect(service['mem_limit'], name).toMatch(/^\d+[mg]$/);
    }
    const unchecked = services.filter(([, service]) => !('healthcheck' in service)).map(([name]) => name);
    expect(unchecked).toEqual(['temporal-schema', 'temporal-ui', 'temporal-web', 'namespace']);
  });

  it('says how many shards the histories of Temporal have, which never changes', () => {
    const [, temporal] = services.find(([name]) => name === 'temporal') ?? [];
    expect(temporal?.['environment']).toMatchObject({ NUM_HISTORY_SHARDS: 4 });
  });

  it('sets what there is to set, to values that are taken', () => {
    const settings = [...file.matchAll(/^ +(ORBWEAVER_\w+): '?([^'\n]*)'?$/gm)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    expect(settings.length).toBeGreaterThan(8);
    for (const [name, value] of settings) {
      const needed = { ORBWEAVER_DATABASE_URL: 'postgres://a/b', ORBWEAVER_TEMPORAL_ADDRESS: 'a:1' };
      expect(() => loadServiceConfig({ ...needed, [name]: value }), name).not.toThrow();
    }
  });

  it('sets, or passes on, every setting of API and workers', () => {
    // Not folders and ports of the stack that starts itself, and what the command line goes by.
    const others =
      /_(DATA|CACHE|START_SECONDS|BACKUP(_HOURS|_KEEP)?|TEMPORAL_CLI|SERVER|API_KEY|(TEMPORAL|TEMPORAL_UI|POSTGRES|REDIS)_PORT)$/;
    const names = Object.values(settings).map(({ name }) => name);
    const set = new Set(file.match(/(?<=^ +)ORBWEAVER_\w+(?=:)/gm));
    expect(names.filter((name) => !others.test(name) && !set.has(name))).toEqual([]);
  });

  it('runs scripts that the build makes, in a worker for each role', () => {
    const scripts = [...file.matchAll(/^ +command: dist\/(\S+)\.js$/gm)].map(([, script = '']) => script);
    expect(scripts.sort()).toEqual([
      ...['api/main', 'stack/guard-temporal-web', 'stack/prepare-namespace', 'workers/main'],
    ]);
    for (const script of scripts) expect(existsSync(path.join(root, `${script}.ts`))).toBe(true);
    const roles = [...file.matchAll(/^ +ORBWEAVER_ROLES: (\w+)$/gm)].map(([, role]) => role);
    const all = { ORBWEAVER_DATABASE_URL: 'postgres://a/b', ORBWEAVER_TEMPORAL_ADDRESS: 'a:1' };
    expect(roles.sort()).toEqual([...loadServiceConfig(all).roles].sort());
  });

  it('builds from everything the production build reads', () => {
    const { include } = JSON.parse(readFileSync(path.join(root, 'tsconfig.build.json'), 'utf8')) as {
      include: string[];
    };
    const sent = readFileSync(path.join(root, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? [];
    for (const name of [...include, 'build.ts', 'package.json', 'package-lock.json'])
      expect(sent).toContain(name);
    for (const name of sent) expect(existsSync(path.join(root, name)), name).toBe(true);
  });
});
