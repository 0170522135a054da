import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostOptions } from '../../cli/hosts/host-settings.ts';
import { hostLine, hostLines } from '../../cli/hosts/host-words.ts';
import type { HostSummary } from '../../contracts/hosts.ts';
import { serving } from './serving.ts';
import { runCli } from './run-cli.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

const nights = { timeZone: 'Europe/Berlin', open: [{ days: ['mon'], from: '22:00', to: '06:00' }] };

describe('the options of host set', () => {
  it('become settings; default takes one back, and what is not given is not changed', async () => {
    expect(await readHostOptions({ delay: '0.5', concurrency: '4', quota: '500', factor: '2.5' })).toEqual({
      delaySeconds: 0.5,
      concurrency: 4,
      quotaPerDay: 500,
      delayFactor: 2.5,
    });
    expect(await readHostOptions({ delay: 'default', windows: 'default' })).toEqual({
      delaySeconds: null,
      windows: null,
    });
  });

  it('take windows as JSON, or from a file', async () => {
    const file = path.join(folder, 'nights.json');
    writeFileSync(file, JSON.stringify(nights));
    expect(await readHostOptions({ windows: JSON.stringify(nights) })).toEqual({ windows: nights });
    expect(await readHostOptions({ windows: file })).toEqual({ windows: nights });
  });

  it.each<[string, Parameters<typeof readHostOptions>[0], RegExp]>([
    ['nothing', {}, /^Say what to set: --delay, /],
    ['a word', { delay: 'slow' }, /^--delay cannot be used: /],
    ['a negative number', { factor: '-1' }, /^--factor cannot be used: /],
    ['too many', { concurrency: '17' }, /^--concurrency cannot be used: /],
    ['half a request', { quota: '1.5' }, /^--quota cannot be used: /],
    ['no JSON', { windows: '{days' }, /^--windows is not valid JSON\.$/],
    ['no file', { windows: '/nowhere/at/all' }, /cannot be read: there is no such file/],
    [
      'what never opens',
      { windows: '{"timeZone": "UTC", "open": []}' },
      /^--windows cannot be used: Windows without an opening time never open\.$/,
    ],
  ])('are refused in one sentence: %s', async (_, options, sentence) => {
    await expect(readHostOptions(options)).rejects.toThrow(sentence);
  });

  it('are judged before anything is started', async () => {
    const env = { ORBWEAVER_DATA: path.join(folder, 'data') };
    const badOrigin = await runCli(['host', 'set', 'example.com', '--quota', '5'], env);
    expect(badOrigin).toMatchObject({ code: 2, stdout: '' });
    expect(badOrigin.stderr).toMatch(/"example\.com" is not an origin such as https:\/\/example\.com:8443\./);
    expect(await runCli(['host', 'set', 'https://example.com', '--quota', '0'], env)).toMatchObject({
      code: 2,
    });
    expect(await runCli(['hosts', '--state', 'tired'], env)).toMatchObject({ code: 2 });
  });
});

describe('the line of a host', () => {
  const host: HostSummary = {
    origin: 'https://a.example',
    state: 'active',
    settings: {
      delaySeconds: null,
      concurrency: null,
      windows: null,
      quotaPerDay: null,
      delayFactor: null,
      region: null,
    },
    queued: 1_234,
    leased: 0,
    deadLetters: 0,
    parkedAt: null,
    failures: 0,
    failingSince: null,
    lastError: null,
    slowdown: 0,
    delaySeconds: 1,
    notBefore: null,
    closedBy: null,
    opensAt: null,
    today: { day: '2026-03-29', requests: 12, reserved: 0, quota: 100_000 },
    region: null,
    quality: { value: 1, pinned: false, leftForLater: false, requestsPerDay: null, authority: 'of-seeds' },
  };

  it('has its quality, and what follows from that', () => {
    expect(hostLines({ ...host, crawls: [] }).join('\n')).toMatch(/^ {2}quality +1\.00$/m);
    const poor = {
      value: 0.31,
      pinned: true,
      leftForLater: true,
      requestsPerDay: 50,
      authority: 'never',
    } as const;
    expect(hostLines({ ...host, crawls: [], quality: poor }).join('\n')).toMatch(
      /^ {2}quality +0\.31, pinned by an operator, left for later, since most of its requests fail, 50 requests a day$/m,
    );
  });

  it('says in a sentence where it stands, and of a parked host what comes next', () => {
    const first = (state: HostSummary['state']): string => hostLines({ ...host, state, crawls: [] })[0] ?? '';
    expect(first('backoff')).toBe('https://a.example is left alone for a while.');
    expect(first('idle')).toBe('https://a.example has nothing to do now.');
    const parked: HostSummary = { ...host, state: 'parked', parkedAt: '2026-03-29T08:00:00.000Z' };
    expect(hostLines({ ...parked, crawls: [] }).join('\n')).toMatch(
      /^https:\/\/a\.example is parked since .*\.\n(.*\n)* {2}next +a probe by itself.* host\/https:\/\/a\.example$/m,
    );
  });

  it('says where it stands and what is set for it', () => {
    expect(hostLine(host)).toBe('active  https://a.example  1,234 queued, 12 requests today');
    const settings = { ...host.settings, delaySeconds: 0, concurrency: 4, quotaPerDay: 500 };
    expect(hostLine({ ...host, settings })).toMatch(/ {2}delay 0 s {2}4 at once {2}quota 500 a day$/);
  });

  it('whose workflow could not be woken may sleep on, and its operator is told', async () => {
    const answer = (woken: boolean) => (_: unknown, response: ServerResponse) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ ...host, crawls: [], woken }));
    const said = async (woken: boolean, ...args: string[]): Promise<string> =>
      (await serving(answer(woken), (url) => runCli(['host', ...args, '--server', url]))).stderr;
    const warning = /^The change is made, but the workflow of https:\/\/a\.example could not be woken/;
    expect(await said(false, 'set', 'https://a.example', '--quota', '5')).toMatch(warning);
    expect(await said(true, 'set', 'https://a.example', '--quota', '5')).toBe('');
    expect(await said(false, 'reread-robots', 'https://a.example')).toMatch(warning);
  });

  it('says what it waits for, without letting what a server said steer the terminal', () => {
    const opensAt = '2026-03-30T00:00:00.000Z';
    expect(hostLine({ ...host, state: 'closed', closedBy: 'quota', opensAt })).toContain(
      `closed by its quota until ${opensAt}`,
    );
    const lastError = 'overloaded: \u001b[2J503';
    expect(hostLine({ ...host, state: 'backoff', notBefore: opensAt, lastError })).toMatch(
      /left alone until 2026-03-30T00:00:00\.000Z {2}overloaded: \ufffd\[2J503$/,
    );
  });
});
