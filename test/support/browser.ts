/** A browser for tests, and pages that are answered from a table. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBrowser } from '../../browser/find.ts';
import { BrowserRenderer } from '../../browser/renderer.ts';
import type { RendererOptions } from '../../browser/renderer.ts';
import type { Found, GivenAnswer, PageToRender, Round, WantedResource } from '../../contracts/rendering.ts';
import { given } from './given.ts';

const search = findBrowser(null, process.env);
export const hasBrowser = 'program' in search;

export interface OpenRenderer {
  readonly renderer: BrowserRenderer;
  readonly scratch: string;
  readonly log: string[];
}

export function openRenderer(options: Partial<RendererOptions> = {}): OpenRenderer {
  if (!('program' in search)) throw new Error(search.none);
  const scratch = mkdtempSync(path.join(tmpdir(), 'orbweaver-browser-'));
  // The browser's user may enter it.
  chmodSync(scratch, 0o711);
  const log: string[] = [];
  const renderer = new BrowserRenderer({
    program: search.program,
    scratch,
    log: (line) => log.push(line),
    ...options,
  });
  return { renderer, scratch, log };
}

export async function closeRenderer({ renderer, scratch }: OpenRenderer): Promise<void> {
  await renderer.close();
  rmSync(scratch, { recursive: true, force: true });
}

/** One browser for the tests of a file. */
export const withBrowser = (options: Partial<RendererOptions> = {}): OpenRenderer =>
  given(() => Promise.resolve(openRenderer(options)), closeRenderer);

export const answer = (
  type: string,
  body: string,
  ...headers: readonly (readonly [string, string])[]
): GivenAnswer => ({ status: 200, headers: [['Content-Type', type], ...headers], body: Buffer.from(body) });

export const html = (body: string): GivenAnswer => answer('text/html; charset=utf-8', body);
export const script = (body: string): GivenAnswer => answer('text/javascript', body);
export const json = (value: unknown, ...headers: readonly (readonly [string, string])[]): GivenAnswer =>
  answer('application/json', JSON.stringify(value), ...headers);

/** By URL without its query; what is not in it is missing. */
export type Site = Readonly<Record<string, Found>>;

export const pageUrl = 'https://site.test/';

export const pageOf = (
  body: string | GivenAnswer,
  site: Site = {},
  more: Partial<PageToRender> & { readonly asked?: WantedResource[] } = {},
): PageToRender => ({
  url: pageUrl,
  answer: typeof body === 'string' ? html(body) : body,
  find: (wanted) => {
    more.asked?.push(wanted);
    const at = new URL(wanted.url);
    const key = at.origin === new URL(pageUrl).origin ? at.pathname : at.origin + at.pathname;
    return Promise.resolve(site[key] ?? 'missing');
  },
  ...more,
});

export const never = new AbortController().signal;

export const domOf = (round: Round): string => Buffer.from(round.dom).toString('utf8');

/** The body of the DOM without its scripts. */
export const shown = (round: Round): string =>
  (/<body[^>]*>([^]*)<\/body>/.exec(domOf(round))?.[1] ?? '').replace(/<script[^]*?<\/script>/g, '').trim();
