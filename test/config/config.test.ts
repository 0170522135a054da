import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, loadServiceConfig } from '../../config/config.ts';
import { programEnvironment, serviceEnvironment } from '../../config/environment.ts';
import { settings, settingsMarkdown } from '../../config/table.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

const settingsFile = (content: string): string => {
  const file = path.join(folder, `${String(Math.random())}.json`);
  writeFileSync(file, content);
  return file;
};

describe('loadConfig', () => {
  it('gives every setting its default', () => {
    const config = loadConfig({ HOME: '/home/someone' });
    expect(config).toMatchObject({
      temporalNamespace: 'default',
      roles: ['control', 'fetch', 'extract'],
      shards: 1,
      sliceSeconds: 10,
      maxBodyBytes: 10 * 1024 * 1024,
      leaseSeconds: 8,
      apiHost: '127.0.0.1',
      apiPort: null,
      allowPrivate: [],
      blobDir: path.join(config.dataDir, 'blobs'),
    });
    expect(config.userAgent).toMatch(/^Orbweaver\/\d+\.\d+\.\d+ \(polite crawler\)$/);
  });

  it('links the page of the crawler in the user agent, unless that is set', () => {
    const url = { ORBWEAVER_CRAWLER_URL: 'https://bücher.example/über uns' };
    const linked = /^Orbweaver\/[\d.]+ \(\+https:\/\/xn--bcher-kva\.example\/%C3%BCber%20uns\)$/;
    expect(loadConfig(url).userAgent).toMatch(linked);
    expect(loadConfig({ ...url, ORBWEAVER_USER_AGENT: 'Mine/1' }).userAgent).toBe('Mine/1');
    expect(() => loadConfig({ ORBWEAVER_CRAWLER_URL: 'example.org' })).toThrow(
      'ORBWEAVER_CRAWLER_URL must be a URL that begins with http:// or https://',
    );
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it('reads numbers, lists and folders', () => {
    const config = loadConfig({
      ORBWEAVER_API_PORT: '8080',
      ORBWEAVER_SLICE_SECONDS: '0.5',
      ORBWEAVER_ROLES: 'fetch, extract',
      ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
      ORBWEAVER_DATA: 'some/folder',
    });
    expect(config).toMatchObject({
      apiPort: 8080,
      sliceSeconds: 0.5,
      roles: ['fetch', 'extract'],
      allowPrivate: ['127.0.0.0/8', '::1/128'],
      dataDir: path.resolve('some/folder'),
    });
  });

  it('takes an empty value for an absent one', () => {
    expect(loadConfig({ ORBWEAVER_SHARDS: '' }).shards).toBe(1);
  });

  it('are IP addresses for resolvers, with a port or without', () => {
    const dns = ['9.9.9.9', '10.0.0.1:5353', '2620:fe::fe', '[::1]:65535'];
    expect(loadConfig({ ORBWEAVER_DNS: dns.join(', ') }).dns).toEqual(dns);
    expect(loadConfig({}).dns).toEqual([]);
  });

  it.each([
    [{ ORBWEAVER_API_PROT: '1' }, 'did you mean ORBWEAVER_API_PORT?'],
    [{ ORBWEAVER_DATA_DIR: '/x' }, 'did you mean ORBWEAVER_DATA?'],
    [
      { ORBWEAVER_API_PORT: '70000' },
      'ORBWEAVER_API_PORT must be a whole number from 1 to 65535 (it is "70000").',
    ],
    [{ ORBWEAVER_SHARDS: '1.5' }, 'ORBWEAVER_SHARDS must be a whole number from 1 to 64'],
    [{ ORBWEAVER_SHARDS: '0x10' }, 'ORBWEAVER_SHARDS must be a whole number'],
    [{ ORBWEAVER_ROLES: 'fetch,cook' }, 'ORBWEAVER_ROLES must be one of control, fetch, extract'],
    [{ ORBWEAVER_ALLOW_PRIVATE: '10.0.0.0/99' }, 'ORBWEAVER_ALLOW_PRIVATE must be CIDR blocks'],
    [{ ORBWEAVER_TEMPORAL_ADDRESS: 'http://x:1' }, 'ORBWEAVER_TEMPORAL_ADDRESS must be host:port'],
    [{ ORBWEAVER_DNS: 'dns.example' }, 'ORBWEAVER_DNS must be IP addresses'],
    [{ ORBWEAVER_DNS: '9.9.9.9,1.1.1.1:0' }, 'ORBWEAVER_DNS must be IP addresses'],
    [{ ORBWEAVER_DNS: '[9.9.9.9]:53' }, 'ORBWEAVER_DNS must be IP addresses'],
    [{ ORBWEAVER_DNS: '[::1]' }, 'ORBWEAVER_DNS must be IP addresses'],
    [{ ORBWEAVER_CONFIG: '/nowhere/settings.json' }, 'Settings file /nowhere/settings.json cannot be read'],
  ])('refuses %o', (env, message) => {
    expect(() => loadConfig(env)).toThrow(ConfigError);
    expect(() => loadConfig(env)).toThrow(message);
  });

  it('never repeats a secret', () => {
    const env = { ORBWEAVER_DATABASE_URL: 'mysql://user:geheim@host/db' };
    expect(() => loadConfig(env)).toThrow(
      /^ORBWEAVER_DATABASE_URL must be a URL that begins with postgres:\/\//,
    );
    expect(() => loadConfig(env)).not.toThrow(/geheim/);
  });
});

describe('the settings file', () => {
  it('is read, and the environment wins over it', () => {
    const file = settingsFile(
      '{"ORBWEAVER_SHARDS": 4, "ORBWEAVER_ROLES": ["fetch"], "ORBWEAVER_ACTIVE_HOSTS": 7}',
    );
    expect(loadConfig({ ORBWEAVER_CONFIG: file, ORBWEAVER_SHARDS: '2' })).toMatchObject({
      shards: 2,
      roles: ['fetch'],
      activeHosts: 7,
    });
  });

  it.each([
    ['{"ORBWEAVER_SHARD": 4}', 'did you mean ORBWEAVER_SHARDS?'],
    ['[1]', 'must hold one JSON object'],
    ['{', 'cannot be read'],
    ['{"ORBWEAVER_CONFIG": "/x"}', 'cannot name another settings file'],
  ])('refuses %s', (content, message) => {
    expect(() => loadConfig({ ORBWEAVER_CONFIG: settingsFile(content) })).toThrow(message);
  });
});

describe('default folders', () => {
  it('follow XDG', () => {
    expect(loadConfig({ HOME: '/nowhere', XDG_CACHE_HOME: '/cache' }).cacheDir).toBe('/cache/orbweaver');
    expect(loadConfig({ HOME: '/nowhere', XDG_CACHE_HOME: 'relative' }).cacheDir).toBe(
      '/nowhere/.cache/orbweaver',
    );
    expect(loadConfig({ HOME: '/nowhere' }).dataDir).toBe('/nowhere/.local/share/orbweaver');
  });

  it.skipIf(process.getuid?.() !== 0)("leave root's home where that is closed to the Postgres user", () => {
    expect(loadConfig({ HOME: folder }).dataDir).toBe('/var/lib/orbweaver');
  });
});

describe('loadServiceConfig', () => {
  it('names what is missing', () => {
    expect(() => loadServiceConfig({})).toThrow('ORBWEAVER_DATABASE_URL must be set');
    const half = { ORBWEAVER_DATABASE_URL: 'postgres://h/d' };
    expect(() => loadServiceConfig(half)).toThrow('ORBWEAVER_TEMPORAL_ADDRESS must be set');
  });
});

describe('the environment of children', () => {
  it('carries the whole config over', () => {
    const config = loadConfig({
      HOME: '/home/someone',
      ORBWEAVER_DATABASE_URL: 'postgres://u:p@h/d',
      ORBWEAVER_TEMPORAL_ADDRESS: 'h:7233',
      ORBWEAVER_ROLES: 'extract',
      ORBWEAVER_ALLOW_PRIVATE: '10.0.0.0/8',
      ORBWEAVER_API_PORT: '1234',
      ORBWEAVER_CRAWLER_URL: 'https://crawler.example/',
    });
    expect(loadServiceConfig(serviceEnvironment(config, { HOME: '/other', ORBWEAVER_SHARDS: '9' }))).toEqual(
      config,
    );
  });

  it('hides settings and secrets from programs that are not ours', () => {
    const env = {
      PATH: '/bin',
      ORBWEAVER_DATABASE_URL: 'postgres://u:p@h/d',
      PGDATA: '/x',
      TEMPORAL_ADDRESS: 'y',
    };
    expect(programEnvironment(env)).toEqual({ PATH: '/bin' });
  });
});

it('the table of docs/settings.md has every setting once', () => {
  const table = settingsMarkdown();
  for (const { name } of Object.values(settings)) expect(table.split(`| \`${name}\` |`)).toHaveLength(2);
});
