/**
 * /console: the files of the console, served as they are in console/ and in the packages it uses, so that there is
 * nothing to build. The policy lets nothing run but these files: no text of a crawled page can.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Router } from 'express';
import { notFound } from '../way-in/problem.ts';

const folder = path.join(import.meta.dirname, '../../console');
const packages = createRequire(import.meta.url);

/** What the import map of index.html names. */
const libraries: ReadonlyMap<string, readonly [from: string, file: string]> = new Map(
  Object.entries({
    'preact.js': ['preact', 'dist/preact.mjs'],
    'hooks.js': ['preact', 'hooks/dist/hooks.mjs'],
    'htm.js': ['htm', 'dist/htm.module.js'],
    'htm-preact.js': ['htm', 'preact/index.module.js'],
    'signals-core.js': ['@preact/signals-core', 'dist/signals-core.module.js'],
    'signals.js': ['@preact/signals', 'dist/signals.module.js'],
    'uplot.js': ['uplot', 'dist/uPlot.iife.min.js'],
  } as const),
);

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Served {
  readonly type: string;
  readonly bytes: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
}

function served(type: string, text: string): Served {
  const bytes = Buffer.from(text);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, packed: gzipSync(bytes, { level: 9 }), tag };
}

function library(name: string): Served | null {
  const found = libraries.get(name);
  if (found === undefined) return null;
  const [of, file] = found;
  const [root = ''] = (packages.resolve.paths(of) ?? []).filter((each) => existsSync(path.join(each, of)));
  const text = readFileSync(path.join(root, of, file), 'utf8').replace(
    /\n\/\/# sourceMappingURL=.*\s*$/,
    '\n',
  );
  // It is a classic script that declares one name.
  return served(
    types[path.extname(name)] ?? '',
    name === 'uplot.js' ? `${text}\nexport default uPlot;\n` : text,
  );
}

/**
 * What browsers need of a file: neither types, which leave blanks, nor comments on lines of their own, nor indentation. In a
 * build the files have lost their types already, and end in .js.
 */
const bare = (name: string, text: string): string =>
  (name.endsWith('.ts') ? stripTypeScriptTypes(text) : text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
    .replace(/^[ \t]*(?:\/\*\*[^]*?\*\/[ \t]*|\/\/.*)\n/gm, '')
    .replace(/^[ \t]+|[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');

/** Every file below console/, by its path there; a request names no path of its own. */
const ownFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.extname(name) in types)
    .map((name) => [name.replaceAll(path.sep, '/'), path.join(folder, name)]),
);

function own(name: string): Served | null {
  const file = ownFiles.get(name);
  const type = types[path.extname(name)];
  if (file === undefined || type === undefined) return null;
  return served(type, bare(name, readFileSync(file, 'utf8')));
}

const main = ownFiles.has('main.ts') ? 'main.ts' : 'main.js';
const index = readFileSync(path.join(folder, 'index.html'), 'utf8').replace('{main}', main);
const [, importMap = ''] = /<script type="importmap">([^]*?)<\/script>/.exec(index) ?? [];
const { imports } = JSON.parse(importMap) as { readonly imports: Readonly<Record<string, string>> };
const root = '/console';

/** What a module names in its import and export statements; what it imports later, by a call, is not among it. */
const importing = /\b(?:import|export)\s*(?:[\w$*{},\s]+\bfrom\s*)?["']([^"'\n]+)["']/g;

/**
 * The page with links to all modules that it needs, from main on, so that a browser asks for them together: each would
 * else be asked for only once the one that imports it has come.
 */
function withPreloads(fileAt: (at: string) => Served | null | undefined): string {
  const modules = new Set([`/app/${main}`]);
  for (const at of modules)
    for (const [, name = ''] of (fileAt(at)?.bytes.toString() ?? '').matchAll(importing)) {
      const found = imports[name]?.slice(root.length) ?? path.posix.join(path.posix.dirname(at), name);
      if (fileAt(found)?.type === types['.js']) modules.add(found);
    }
  const links = [...modules].map((at) => `<link rel="modulepreload" href="${root}${at}" />`).join('\n');
  // Behind the import map, which has to be known before any module is asked for.
  return index.replace('<script type="module"', `${links}\n$&`);
}

const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Mount at /console: any path that is no file is a screen, which the page itself finds. */
export function consolePage(): Router {
  const router = Router();
  const ready = new Map<string, Served | null>();
  const kept = (key: string, make: () => Served | null): Served | null => {
    const known = ready.get(key);
    if (known !== undefined) return known;
    const made = make();
    // What is not there is not kept: anybody may ask for anything.
    if (made !== null) ready.set(key, made);
    return made;
  };
  /** Null: there is no such file; undefined: this is no address of a file. */
  const fileAt = (at: string): Served | null | undefined => {
    const [, room, name = ''] = /^\/(app|lib)\/(.+)$/.exec(at) ?? [];
    return room === undefined ? undefined : kept(at, () => (room === 'lib' ? library(name) : own(name)));
  };
  const page = (): Served => served('text/html; charset=utf-8', withPreloads(fileAt));
  router.use((request, response, next) => {
    const found = fileAt(request.path);
    const file = found === undefined ? kept('the page', page) : found;
    if (file === null) {
      notFound(request, response, next);
      return;
    }
    response.set({
      'Content-Security-Policy': policy,
      'Content-Type': file.type,
      'Cache-Control': 'no-cache',
      ETag: file.tag,
      Vary: 'Accept-Encoding',
    });
    if (request.get('If-None-Match') === file.tag) {
      response.status(304).end();
      return;
    }
    const packed = request.acceptsEncodings('gzip') === 'gzip';
    if (packed) response.set('Content-Encoding', 'gzip');
    response.end(packed ? file.packed : file.bytes);
  });
  return router;
}
