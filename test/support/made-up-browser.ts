/** A browser for tests: each page does what its script here says, with what the caller has. */
import type { Found, PageToRender, Renderer, Round, WantedResource } from '../../contracts/rendering.ts';

/** Asks for a URL; null: it is missing or failed. */
type Ask = (url: string, type?: WantedResource['type']) => Promise<string | null>;
/** @returns the DOM's body */
export type Script = (ask: Ask, page: PageToRender) => Promise<string> | string;

export interface MadeUpBrowser extends Renderer {
  /** Paths of the pages that were rendered, one for each round. */
  readonly rounds: string[];
  /** What pages were given, by URL: the last. */
  readonly given: Map<string, Found>;
  /** Rounds that end as crashed from now on. */
  crashes: number;
  /** What limits leave out of each page. */
  leftOut: number;
  /** What a picture or a print is; absent: its name, and the path of its page. */
  look?: (name: string) => Uint8Array;
}

/** @param scripts by path; a page without one stays as it is */
export function madeUpBrowser(scripts: Readonly<Record<string, Script>>): MadeUpBrowser {
  const browser: MadeUpBrowser = {
    rounds: [],
    given: new Map(),
    crashes: 0,
    leftOut: 0,
    close: () => Promise.resolve(),
    render: async (page): Promise<Round> => {
      const { pathname, search } = new URL(page.url);
      browser.rounds.push(pathname + search);
      const ask: Ask = async (url, type = 'xhr') => {
        const wanted = { url: new URL(url, page.url).href, method: 'GET', type } as const;
        const found = await page.find(wanted);
        browser.given.set(wanted.url, found);
        return typeof found === 'object' && 'body' in found ? new TextDecoder().decode(found.body) : null;
      };
      const isLost = browser.crashes > 0;
      if (isLost) browser.crashes--;
      const look = (name: string) => browser.look?.(name) ?? Buffer.from(`${name} of ${pathname}`);
      const plain = new TextDecoder().decode(page.answer.body);
      const made = isLost ? '' : ((await scripts[pathname + search]?.(ask, page)) ?? plain);
      return {
        outcome: isLost ? 'crashed' : 'settled',
        dom: new TextEncoder().encode(isLost ? '' : `<!doctype html><html><body>${made}</body></html>`),
        leftOut: browser.leftOut,
        refused: { POST: 1 },
        console: ['said\u0000'],
        navigation: null,
        pageMs: 100,
        wallMs: 5,
        ...(page.picture !== undefined && page.isWhole?.() !== false && { picture: look(page.picture) }),
        ...(page.pdf === true && page.isWhole?.() !== false && { pdf: look('pdf') }),
      };
    },
  };
  return browser;
}
