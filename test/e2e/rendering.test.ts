/**
 * A site whose pages are all the same shell, through the whole product with a real browser: each page is rendered, and what
 * only scripts ask for is fetched politely, once.
 *
 * @module-tag long
 */
import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBrowser } from '../../browser/find.ts';
import { readLocalKey } from '../../cli/api/local-key.ts';
import { startEmbedded } from '../support/embedded.ts';
import { startSite, status, type Answer } from '../integration/activities/site.ts';

const hasBrowser = 'program' in findBrowser(null, process.env);

const body =
  (type: string, text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(text);
  };
const shell = body(
  'text/html',
  '<!doctype html><title>Shop</title><div id=root></div><script src=/app.js></script>',
);
/** Waits, then asks for a URL that is another one each time but for a clock and numbers that stand still. */
const script = `
const words = (of) => Array.from({ length: 40 }, (_, at) => of + at).join(' ');
setTimeout(async () => {
  const root = document.getElementById('root');
  if (location.pathname === '/') {
    const items = await (await fetch('/api/list?_=' + Date.now() + Math.random())).json();
    root.innerHTML = '<p>' + words('list') + '</p>' + items.map((each) => '<a href=/item/' + each + '>on</a>').join('');
  } else root.innerHTML = '<h1>' + await (await fetch('/api' + location.pathname)).text() + '</h1><p>' + words('w') + '</p>';
}, 1500);`;

describe.skipIf(!hasBrowser)('a site of shells (needs a browser)', () => {
  it('is read as its scripts show it, and each file is asked for once', async () => {
    const items = ['a', 'b', 'c'];
    const list = body('application/json', JSON.stringify(items));
    const answers = {
      ...{ '/robots.txt': status(404), '/': shell, '/app.js': body('text/javascript', script) },
      ...Object.fromEntries(
        items.flatMap((each) => [
          [`/item/${each}`, shell],
          [`/api/item/${each}`, body('text/plain', `Item ${each}`)],
        ]),
      ),
    };
    const site = await startSite(
      new Proxy<Record<string, Answer>>(answers, {
        get: (all, path) => (String(path).startsWith('/api/list?') ? list : all[String(path)]),
      }),
    );
    const embedded = await startEmbedded({ browser: null });
    onTestFinished(() => embedded.close());
    const seeds = [`${site.origin}/`];
    const { id } = await embedded.crawl({
      seeds,
      allowPrivate: ['127.0.0.0/8'],
      delaySeconds: 0,
      screenshot: 'window',
    });
    await embedded.ended(id, 240_000);
    const pages = await embedded.pages(id, ['text']);
    expect(pages.map(({ url, duplicateOf }) => [new URL(url).pathname, duplicateOf]).sort()).toEqual([
      ['/', null],
      ...items.map((each) => [`/item/${each}`, null]),
    ]);
    expect(pages.find(({ url }) => url.endsWith('/b'))?.text).toContain('Item b');
    const [first] = pages;
    const query = new URLSearchParams({ url: first?.url ?? '', part: 'screenshot' });
    const picture = await fetch(`${embedded.stack.apiUrl ?? ''}/v1/crawls/${id}/body?${query.toString()}`, {
      headers: { authorization: `Bearer ${readLocalKey(embedded.dataDir) ?? ''}` },
    });
    const { 'content-type': type, 'content-disposition': shown } = Object.fromEntries(picture.headers);
    expect([picture.status, type, shown]).toEqual([200, 'image/png', 'attachment']);
    const png = Buffer.from(await picture.arrayBuffer());
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(20)]).toEqual(['PNG', 800]);
    expect(hash('sha256', png)).toBe(first?.screenshot);
    const asked = site.paths().filter((path) => path !== '/robots.txt');
    expect(asked).toHaveLength(new Set(asked).size);
    expect(asked.filter((path) => path.startsWith('/api/list?'))).toHaveLength(1);
    expect(await embedded.ask<{ ok: boolean }>(`/v1/crawls/${id}/audit`)).toMatchObject({ ok: true });
  });
});
