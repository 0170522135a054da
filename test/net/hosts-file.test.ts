/** hosts(5). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HostsFile, parseHosts } from '../../net/hosts-file.ts';

describe('a hosts file', () => {
  it('names addresses, several names a line and several lines a name, comments aside', () => {
    const names = parseHosts(
      [
        '127.0.0.1\tlocalhost  LocalHost.LocalDomain. # loopback',
        '::1 localhost',
        '#10.0.0.1 commented.test',
        '10.0.0.2 one.test two.test#three.test',
        '  10.0.0.3   indented.test\r',
        '10.0.0.2 one.test',
        'nonsense bad.test',
        '10.0.0.4',
        '',
      ].join('\n'),
    );
    expect(Object.fromEntries(names)).toEqual({
      localhost: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      'localhost.localdomain': [{ address: '127.0.0.1', family: 4 }],
      'one.test': [{ address: '10.0.0.2', family: 4 }],
      'two.test': [{ address: '10.0.0.2', family: 4 }],
      'indented.test': [{ address: '10.0.0.3', family: 4 }],
    });
  });

  it('is read again when it has changed, and names nothing when it is gone', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-hosts-'));
    onTestFinished(() => {
      vi.useRealTimers();
      rmSync(folder, { recursive: true });
    });
    const file = path.join(folder, 'hosts');
    const hosts = new HostsFile(file);
    const address = async () => (await hosts.lookup('site.test'))?.[0]?.address;
    expect(await address()).toBe(undefined);
    writeFileSync(file, '10.0.0.1 site.test');
    expect(await address()).toBe(undefined);
    vi.advanceTimersByTime(5_000);
    expect(await address()).toBe('10.0.0.1');
    writeFileSync(file, '10.0.0.22 site.test');
    vi.advanceTimersByTime(5_000);
    expect(await address()).toBe('10.0.0.22');
    rmSync(file);
    vi.advanceTimersByTime(5_000);
    expect(await address()).toBe(undefined);
  });
});
