/** README and docs/ say what the code says: settings, verbs, routes, scripts, and tests that exist. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../api/openapi/document.ts';
import { createProgram } from '../../cli/program.ts';
import { settingsMarkdown } from '../../config/table.ts';
import { searchAttributes } from '../../contracts/workflows.ts';
import { faultKinds } from '../chaos/plan.ts';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const readme = read('README.md');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** A `#` within a fence is a comment of a shell. */
const headings = (page: string): string[] =>
  [
    ...read(page)
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => heading);
/** As GitHub makes them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');
const notOurs = ['node_modules/**', 'bench/**/node_modules/**', 'dist/**', '.cache/**', '.git/**'];

const numbered = (letter: string, count: number, digits: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(digits, '0')}`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');

describe('README.md', () => {
  it('is short', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10 * 1024);
  });

  it('is followed by operations.md, which gives a query for every search attribute', () => {
    const operations = read('docs/operations.md');
    expect(Object.keys(searchAttributes).filter((name) => !operations.includes(name))).toEqual([]);
  });

  it('speaks of npm scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...(readme + read('CONTRIBUTING.md')).matchAll(/npm run ([\w:-]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('pages that are made (`-u` writes them anew)', () => {
  const made = (title: string, from: string, about: string, body: readonly string[]): string =>
    [
      `# ${title}`,
      '',
      `${about} This page is made from ${from}; \`npm test -- test/docs -u\` writes it anew.`,
      '',
      '<!-- prettier-ignore-start -->',
      '',
      ...body,
      '',
      '<!-- prettier-ignore-end -->',
      '',
    ].join('\n');

  it('docs/settings.md has every setting of the processes', async () => {
    const about =
      'From the environment, else from the file that `ORBWEAVER_CONFIG` names. An unknown name is an error. What a crawl sets for itself (scope, patterns, limits, delay, user agent, request headers, private addresses) is in [verbs.md](verbs.md) and, for the API, at `/docs/`.';
    const page = made('Settings', '`config/table.ts`', about, [settingsMarkdown()]);
    await expect(page).toMatchFileSnapshot('../../docs/settings.md');
  });

  it('docs/verbs.md has every verb with its options', async () => {
    const verbs = (command: Command, path: string): string[] =>
      command.commands.flatMap((each) => {
        const name = `${path} ${each.name()}`;
        const below = verbs(each, name);
        // Words that are no verb by themselves take nothing.
        if (below.length > 0 && each.options.length + each.registeredArguments.length === 0) return below;
        const help = each.createHelp();
        const options = help
          .visibleOptions(each)
          .filter(({ long }) => long !== '--help')
          .map((option) => `- \`${option.flags}\`: ${help.optionDescription(option)}`);
        return [
          `## ${name.trim()}`,
          '',
          `\`${help.commandUsage(each)}\``,
          '',
          `${capital(help.commandDescription(each))}.`,
          '',
          ...options,
          ...(options.length > 0 ? [''] : []),
          ...below,
        ];
      });
    const about = '`./orbweaver <verb> --help` says the same; [cli.md](cli.md) shows verbs at work.';
    const body = verbs(await createProgram(() => undefined), 'orbweaver');
    await expect(made('Verbs', 'the verbs in `cli/`', about, body)).toMatchFileSnapshot(
      '../../docs/verbs.md',
    );
  });
});

describe('docs/features.md', () => {
  it('has every feature once, in order, with its state', () => {
    const rows = [...read('docs/features.md').matchAll(/^- \*\*(F\d\d|G\d\d?)\*\* .+?: \*\*([^*]+)\*\*/gm)];
    expect(rows.map(([, id]) => id)).toEqual([...numbered('F', 49, 2), ...numbered('G', 17, 1)]);
    for (const [, id, state] of rows) expect(['works', 'partly', 'not yet'], id).toContain(state);
  });
});

describe('docs/chaos.md', () => {
  it('has a test or a fault for each row of what fails, or says that there is none', () => {
    const [, matrix = ''] = read('docs/chaos.md').split('## What fails, and what shows that it does no harm');
    const rows = [...matrix.matchAll(/^\| (?!what |-)(.+) \|$/gm)].map(([, row = '']) => row);
    expect(rows.length).toBeGreaterThan(35);
    expect(rows.filter((row) => !/`test\/|\bfaults? `|\bno test\b/.test(row))).toEqual([]);
    // What of a fault is hit stands behind it: `kill` of postgres.
    const named = [...matrix.matchAll(/\bfaults? ((?:`\w+`(?:, )?)+)(?: of ([\w-]+))?/g)];
    const victims = named.flatMap(([, , victim]) => (victim === undefined ? [] : [victim]));
    const plan = read('test/chaos/plan.ts');
    const kinds = named.flatMap(([, list = '']) => [...list.matchAll(/\w+/g)].map(([kind]) => kind));
    expect(kinds.filter((kind) => !(faultKinds as readonly string[]).includes(kind))).toEqual([]);
    expect(victims.filter((victim) => !plan.includes(`'${victim}'`))).toEqual([]);
  });
});

describe('what the pages point at', () => {
  it.each(pages)('%s: tests, by file and name', (page) => {
    const references = [...read(page).matchAll(/`(test\/[\w./-]+\.ts)`(?: “([^”]+)”)?/g)];
    const wrong = references.filter(
      ([, file = '', name]) =>
        !existsSync(path.join(root, file)) || (name !== undefined && !read(file).includes(name)),
    );
    expect(wrong.map(([reference]) => reference)).toEqual([]);
  });

  it.each(pages)('%s: routes that there are', (page) => {
    const document = openApiDocument('0').paths ?? {};
    const routes = Object.entries(document).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    const named = [
      ...read(page).matchAll(
        /`((?:GET|POST|PUT|PATCH|DELETE) \/(?:v1|api|frontier|dedup|seed|url)[^`?…]+)`/g,
      ),
    ];
    const shape = (route: string): string =>
      route.replaceAll(/\{\w+\}|\/\d+(?=\/|$)/g, (part) => (part.startsWith('/') ? '/{}' : '{}'));
    const known = routes.map(shape);
    expect(named.map(([, name = '']) => name).filter((name) => !known.includes(shape(name)))).toEqual([]);
  });

  it.each(pages)('%s: pages, headings and folders', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, link = '', anchor]) => {
      const target = link === '' ? page : path.join(path.dirname(page), link);
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && !headings(target).map(anchorOf).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

describe('what comments and test names point at', () => {
  const files = globSync('**/*.{ts,cjs,mjs,sql,yml,sh}', { cwd: root, exclude: notOurs }).filter(
    (file) => file !== path.relative(root, import.meta.filename),
  );

  it('is a page of docs/, and a heading of it by its name', () => {
    const broken = files.flatMap((file) =>
      // A comment may be broken between page and heading. Links in the text of a page that is made are checked there.
      [
        ...read(file)
          .replaceAll(/\n *(?:\*|--|#|\/\/) /g, ' ')
          .matchAll(/(?<!\]\([\w/]*)([\w/]*\w\.md)\b(?:, "([^"]+)"|( §))?/g),
      ]
        .filter(([, page = '', heading, section]) => {
          if (!page.startsWith('docs/')) return /^(?:design|operations|api|features|chaos)\.md$/.test(page);
          if (section !== undefined || !existsSync(path.join(root, page))) return true;
          return heading !== undefined && !headings(page).includes(heading);
        })
        .map(([pointer]) => `${file}: ${pointer}`),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(broken).toEqual([]);
  });

  it('is a file of the code, by its name or the end of its path', () => {
    const sources = globSync('**/*.{ts,cjs,mjs}', { cwd: root, exclude: notOurs }).map((file) => `/${file}`);
    const broken = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
      .flatMap((file) =>
        [...read(file).matchAll(/^ *(?:\/\*\*?|\*|\/\/) .*$/gm)]
          .flatMap(([line]) => [...line.matchAll(/(?<![\w./<*-])[a-z][\w/-]*(?:\.sql)?\.ts\b/g)])
          .filter(([name]) => !sources.some((source) => source.endsWith(`/${name}`)))
          .map(([name]) => `${file}: ${name}`),
      );
    expect(broken).toEqual([]);
  });
});
