/** @module-tag long */
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { editOptionNames, optionName } from '../../cli/crawl/crawl-settings.ts';
import { crawlEdit } from '../../contracts/http/edits.ts';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { jsonLines, runCli, runCliProcess } from './run-cli.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();
const file = (name: string, content: string): string => {
  const full = path.join(folder, name);
  writeFileSync(full, content);
  return full;
};

const example = 'https://example.com/';

describe('bad use ends with 2 and one sentence, before anything is started', () => {
  it.each<[string[], RegExp]>([
    [['crawl'], /^orbweaver: Give at least one URL.*\n$/],
    [['crawl', 'nonsense'], /^orbweaver: "nonsense" is not an absolute URL.*\n$/],
    [['crawl', 'example.com/a'], /https:\/\/example.com\/a would be a URL/],
    [
      ['crawl', example, 'ftp://example.com/'],
      /^orbweaver: "ftp:\/\/example.com\/" is neither an http nor an https URL\.\n$/,
    ],
    [
      ['crawl', 'http://127.0.0.1:8080/'],
      /loopback address, which --allow-private 127.0.0.1\/32 would allow/,
    ],
    [['crawl', 'http://[::1]/'], /loopback address, which --allow-private ::1\/128 would allow/],
    [['crawl', 'http://localhost/'], /loopback/],
    [
      ['crawl', example, '--allow-private', '10.0.0.0/8,nonsense'],
      /^orbweaver: --allow-private cannot be used: not a CIDR/,
    ],
    [['crawl', example, '--allow-private', '10.0.0.0/33'], /--allow-private/],
    [['crawl', example, '--max-pages', '1.5'], /^error: option '--max-pages <n>' argument '1.5' is invalid/],
    [['crawl', example, '--max-pages', '0'], /--max-pages/],
    [['crawl', example, '--max-depth', '-1'], /--max-depth/],
    [['crawl', example, '--max-seconds', '0'], /--max-seconds/],
    [['crawl', example, '--delay', 'fast'], /--delay/],
    [['crawl', example, '--delay', '1e9'], /--delay/],
    [['crawl', example, '--scope', 'world'], /Allowed choices are host, domain, prefix, any/],
    [['crawl', example, '--exclude', ''], /^orbweaver: --exclude cannot be used: the pattern is empty/],
    [['crawl', example, '--priority', 'depth'], /It must be weights, such as depth=0\.5,inbound=0\.5/],
    [
      ['crawl', example, '--priority', 'depth=0.5'],
      /^orbweaver: --priority cannot be used: the weights sum to 0\.5; they must sum to 1\.\n$/,
    ],
    [['crawl', example, '--priority', 'depth=1.5,inbound=-0.5'], /^orbweaver: --priority cannot be used/],
    [['crawl', example, '--priority', 'depth=0.5,luck=0.5'], /^orbweaver: --priority cannot be used: .*luck/],
    [
      ['crawl', example, '--focus', '@/nowhere/at/all'],
      /^orbweaver: The example \/nowhere\/at\/all cannot be read/,
    ],
    [['crawl', example, '--focus', '…'], /^orbweaver: --focus cannot be used: it has no word of two letters/],
    [['edit', '1', '--priority', 'depth'], /^orbweaver: --priority cannot be used: It must be weights/],
    [
      ['ranks', 'import', '/nowhere/at/all'],
      /^orbweaver: The ranking file \/nowhere\/at\/all cannot be read/,
    ],
    [['crawl', example, '--user-agent', 'a\nb'], /^orbweaver: --user-agent cannot be used/],
    [
      ['crawl', example, '--out', '/nowhere/at/all'],
      /^orbweaver: The file \/nowhere\/at\/all cannot be written: there is no such/,
    ],
    [['crawl', example, '--out', '/'], /it is a folder/],
    [
      ['crawl', example, '--seeds', '/nowhere'],
      /^orbweaver: The seeds file \/nowhere cannot be read: there is no such/,
    ],
    [['crawl', example, '--depth', '3'], /^error: unknown option '--depth'/],
    [['crwal', example], /^error: unknown command 'crwal'.*\n\(Did you mean crawl\?\)/],
    [['status', 'x'], /must be the number of a crawl/],
    [['explain'], /missing required argument 'id'/],
    [['explain', '1', 'a.example/x'], /No crawl can have "a\.example\/x": it is not an absolute URL/],
    [['explain', '1', 'ftp://a.example/'], /it is neither an http nor an https URL/],
    [['dead-letters', '1', '--class', 'sad'], /There is no class sad; the classes are .*forbidden/],
    [['dead-letters', '1', '--host', 'a.example'], /is not an origin such as/],
    [['redrive', '1', '--url', 'nonsense'], /No crawl can have "nonsense": it is not an absolute URL/],
    [['redrive', '1'], /No stack is running\. Start one with orbweaver up/],
    [['pages', '1', '--fields', 'html'], /The fields are links, text, main/],
    [['opt-out', 'add', 'https://a.example/'], /^orbweaver: "https:\/\/a\.example\/" is no domain such as/],
    [['opt-out', 'remove', '*.a.example'], /holds a \*; what is below a domain is covered anyway/],
    [['cap', 'set', 'a.example'], /give either --rate or --off/],
    [['cap', 'set', 'a.example', '--rate', '5', '--off'], /give either --rate or --off/],
    [['cap', 'set', 'a.example', '--rate', '0'], /must be a whole number from 1 to 1000, or a fraction of 1/],
    [['cap', 'set', 'a.example', '--rate', '-1'], /must be a whole number|argument missing/],
    [['cap', 'set', 'a.example', '--rate', '2.5'], /must be a whole number from 1 to 1000/],
    [['cap', 'set', 'a.example', '--rate', '5', '--in-flight', '0'], /must be a whole number from 1 on/],
    [['opt-out', 'add'], /missing required argument 'domain'/],
    [['robots', 'check', '--agent', 'x', '--robots', '/nowhere'], /cannot be read: there is no such/],
  ])('%j', async (args, words) => {
    const data = path.join(folder, 'data');
    const { code, stdout, stderr } = await runCli(args, { ORBWEAVER_DATA: data });
    expect(stderr).toMatch(words);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(readdirSync(folder)).not.toContain('data');
  });

  it('lists the lines of a seeds file in which nothing is good', async () => {
    const seeds = file('bad-seeds', '\ufeff# comment\n\nnonsense\r\nmailto:a@b\n');
    const { code, stderr } = await runCli(['crawl', '--seeds', seeds]);
    expect(code).toBe(2);
    expect(stderr).toContain('line 3: "nonsense" is not an absolute URL');
    expect(stderr).toContain('line 4: "mailto:a@b" is neither');
    const empty = await runCli(['crawl', '--seeds', file('empty', '\n# nothing\n')]);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no URL in') as string });
  });

  it('names the line of a file of settings in which something is wrong', async () => {
    const settings = (text: string): Promise<string> =>
      runCli(['crawl', '--config', file('crawl.yaml', text)], {
        ORBWEAVER_DATA: path.join(folder, 'data'),
      }).then(({ code, stderr }) => {
        expect(code).toBe(2);
        return stderr;
      });
    expect(await settings('seeds: [https://example.com/]\n\nmaxPage: 5\n')).toMatch(
      /crawl\.yaml, line 3: there is no setting maxPage; the settings are seeds, .*maxPages/,
    );
    expect(await settings('seeds: [https://example.com/]\nmaxPages: "many"\n')).toMatch(
      /, line 2: maxPages cannot be used: it must be a number\.\n$/,
    );
    expect(await settings('# patterns\nexclude:\n  - "*.pdf"\n  - ""\n')).toMatch(
      /, line 4: exclude \(1\) cannot be used: the pattern is empty/,
    );
    expect(await settings('a: [1\nb: 2\n')).toMatch(/, line \d: it is not valid YAML: .*\.\n$/);
    expect(await settings('- a\n')).toMatch(/, line 1: it must hold settings, such as maxPages: 500/);
    expect(await settings('maxPages: 5\nmaxPages: 6\n')).toMatch(/, line 2: it is not valid YAML: .*unique/);
    expect(await settings('maxPages: 5\n')).toMatch(/Give at least one URL/);
    expect(await settings('seeds: [https://example.com/, nonsense]\nscope: world\n')).toMatch(
      /, line 2: scope cannot be used: it must be one of host, domain, prefix, any/,
    );
    expect((await runCli(['crawl', '--config', '/nowhere'])).stderr).toMatch(
      /cannot be read: there is no such/,
    );
  });

  it('a setting that is none', async () => {
    const { code, stderr } = await runCli(['status'], { ORBWEAVER_DATTA: 'x' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/did you mean ORBWEAVER_DATA\?/);
  });

  it('a data folder that cannot be written', async () => {
    const { code, stderr } = await runCli(['crawl', example], { ORBWEAVER_DATA: file('a-file', '') });
    expect(code).toBe(2);
    expect(stderr).toMatch(/data folder .*a-file cannot be written/);
  });

  it('a port that is set and in use', async () => {
    const server = createServer();
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
    const port = String((server.address() as AddressInfo).port);
    const { code, stderr } = await runCliProcess(['up'], {
      ORBWEAVER_DATA: path.join(folder, 'ports'),
      ORBWEAVER_API_PORT: port,
    });
    await new Promise((closed) => server.close(closed));
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`Port ${port} for the API is in use`));
  });
});

describe('help', () => {
  it.each([[['crawl']], [['crawls', 'start']]])(
    'of %j says what holds where a setting is not given',
    async (verb) => {
      const { stdout } = await runCli([...verb, '--help']);
      const options = stdout.replace(/\s+/g, ' ').split(/ (?=--[a-z\d-]+ )/);
      for (const [field, value] of Object.entries<unknown>({ ...defaultCrawlConfig })) {
        const option = optionName(field);
        const line = options.find((each) => each.startsWith(`${option} `)) ?? '';
        expect(line, option).toMatch(/\(default: \S/);
        const words = typeof value === 'number' ? value.toLocaleString('en-US') : value;
        if (typeof words === 'string') expect(line).toContain(`(default: ${words})`);
      }
    },
  );

  it('of edit has every setting that may change while a crawl runs, and no other', async () => {
    const { stdout } = await runCli(['edit', '--help']);
    const live = Object.keys(crawlEdit.shape).filter((field) => !['note', 'mayEnd'].includes(field));
    expect(editOptionNames().sort()).toEqual(live.map(optionName).sort());
    for (const field of Object.keys(defaultCrawlConfig))
      expect(stdout.includes(`${optionName(field)} `), field).toBe(live.includes(field));
  });

  it.each([
    [],
    ['crawl'],
    ['resume'],
    ['up'],
    ['status'],
    ['crawls', 'list'],
    ['crawls', 'start'],
    ['crawls', 'resume'],
    ['pause'],
    ['cancel'],
    ['keys', 'create'],
    ['tenant'],
    ['tenants', 'set'],
    ['pages'],
    ['audit'],
    ['explain'],
    ['replay'],
    ['robots', 'check'],
    ['url', 'normalize'],
  ])('of %j %j', async (...verb) => {
    const { code, stdout } = await runCli([...verb, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: ${['orbweaver', ...verb].join(' ')}`);
    expect(stdout).toContain('Example');
  });
});

describe('url normalize', () => {
  it('writes one JSON object a line, in order', async () => {
    const { code, stdout } = await runCli([
      'url',
      'normalize',
      'HTTP://Example.COM:80/a/../b?utm_source=x#y',
      'mailto:a@b',
    ]);
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toEqual([
      {
        url: 'HTTP://Example.COM:80/a/../b?utm_source=x#y',
        canonical: 'http://example.com/b',
        host: 'http://example.com',
        // sha256sum of the canonical form, the first 32 digits
        key: '042d7954292c1f4368071906f2dba5a9',
        rejected: null,
      },
      { url: 'mailto:a@b', canonical: null, host: null, key: null, rejected: 'scheme' },
    ]);
  });

  it('reads standard input, blank lines left out', async () => {
    const { stdout } = await runCli(['url', 'normalize'], {}, 'https://a.example\r\n\nhttps://b.example/');
    expect(jsonLines(stdout).map((line) => (line as { url: string }).url)).toEqual([
      'https://a.example',
      'https://b.example/',
    ]);
  });
});

describe('robots check', () => {
  it('judges URLs, and what stands for one', async () => {
    const robots = file(
      'robots.txt',
      'User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow: /p\nAllow: /p/x\n',
    );
    const { code, stdout } = await runCli(
      ['robots', 'check', '--agent', 'FooBot/2.1', '--robots', robots],
      {},
      'https://a.example/p?q=1\nhttps://a.example/p/x\nhttps://a.example/\n/p\na.example/p#f\n',
    );
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toEqual([
      { url: 'https://a.example/p?q=1', allowed: false, rule: 'Disallow: /p', line: 5 },
      { url: 'https://a.example/p/x', allowed: true, rule: 'Allow: /p/x', line: 6 },
      { url: 'https://a.example/', allowed: true, rule: null, line: null },
      { url: '/p', allowed: false, rule: 'Disallow: /p', line: 5 },
      { url: 'a.example/p#f', allowed: false, rule: 'Disallow: /p', line: 5 },
    ]);
    const other = await runCli([
      'robots',
      'check',
      '--agent',
      'other',
      '--robots',
      robots,
      'https://a.example/z',
    ]);
    expect(jsonLines(other.stdout)).toEqual([
      { url: 'https://a.example/z', allowed: false, rule: 'Disallow: /', line: 2 },
    ]);
  });
});
