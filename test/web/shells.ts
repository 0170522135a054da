/**
 * Pages that need a browser: all those of a host are the same bytes, whose script asks for what the page says and puts it in
 * its place. Links and text of such a page are in no answer that a crawler reads.
 */
import type { WebOptions } from './options.ts';
import { addResource, type Page, type ShellFile, type Site } from './site.ts';

const folder = '/shell';

export const shellHtml = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Web</title></head>
<body><div id="root"></div><script src="${folder}/app.js"></script></body></html>`;

/** Asks at some time after its start, as programs do, and for the same URL whatever the spelling of the page's. */
export const shellScript = `setTimeout(async () => {
  const answer = await fetch('${folder}/says' + location.pathname);
  if (!answer.ok) throw new Error('the page is not there');
  const said = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.title = said.title;
  document.getElementById('root').innerHTML = said.body.innerHTML;
}, 300);`;

/** Has `options.shells` pages of each site built by a script, most of them among its first. */
export function addShells(options: WebOptions, sites: readonly Site[]): void {
  if (options.shells === 0) return;
  for (const site of sites) {
    const add = (path: string, of: Page | null): ShellFile => {
      const file: ShellFile = { kind: 'file', site, path: folder + path, index: site.resources.length, of };
      addResource(file);
      return file;
    };
    const script = add('/app.js', null);
    // Others serve the bytes of a page that is rooted, and a query may be spelt in several ways.
    const able = site.pages.filter((page, at) => at > 0 && !page.rooted && !page.path.includes('?'));
    const chosen = Array.from(
      { length: options.shells },
      (_, nth) => able[Math.floor(able.length * (nth / options.shells) ** 2)],
    );
    for (const page of new Set(chosen)) page?.files.push(script, add(`/says${page.path}`, page));
  }
}
