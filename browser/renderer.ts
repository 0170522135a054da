/**
 * The renderer of a process. A browser renders one page at a time: frames that are asked for of two pages at once end the
 * shell as a whole, and nobody waits for a page that takes all of its time. So there are as many browsers as pages were
 * rendered at the same time. Each page has a context of its own. A browser is replaced after some pages or when it has
 * grown, and after it has ended unasked.
 */
import type { PageToRender, Renderer, Round } from '../contracts/rendering.ts';
import { renderLimits } from '../domain/rendering/limits.ts';
import { BrowserGone } from './devtools.ts';
import type { Cell } from './cell.ts';
import { launch } from './launch.ts';
import type { Browser } from './launch.ts';
import { renderRound } from './round.ts';

export interface RendererOptions {
  /** Chromium, or its headless shell. */
  readonly program: string;
  /** Folder for the files of the browser, which others may enter. */
  readonly scratch: string;
  /** Told of each browser that has started, and of what was wrong with one that is replaced. */
  readonly log: (about: string) => void;
  /** Rounds and bytes of memory after which a browser gets no more pages. */
  readonly maxRounds?: number;
  readonly maxBytes?: number;
  /** Milliseconds by the clock that a round takes at most; absent: as all rounds. */
  readonly wallMs?: number;
  /** Absent: the best that the system allows. */
  readonly cell?: Cell;
}

/** Milliseconds by the clock for making and removing the context of a page, on a machine that is very busy. */
const graceMs = 20_000;
/** How many times its time a page may wait for the processor (browser/round.ts). */
const patience = 3;

interface Held {
  readonly browser: Browser;
  rounds: number;
}

/** Its methods reject with NoBrowser where the browser does not start. */
export class BrowserRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #all = new Set<Held>();
  /** Those that render nothing now. */
  readonly #idle: Held[] = [];
  readonly #starting = new Set<Promise<Held>>();
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /** A browser that will serve, started if there is none. */
  async start(): Promise<Browser> {
    const held = await this.#take();
    this.#idle.push(held);
    return held.browser;
  }

  async render(page: PageToRender, signal: AbortSignal): Promise<Round> {
    const held = await this.#take();
    held.rounds++;
    const began = performance.now();
    const { wallMs = renderLimits.wallMs, log } = this.#options;
    // A browser that is late with this page answers nobody.
    const stuck = setTimeout(
      () => {
        log('the browser does not answer, and is killed');
        void held.browser.end();
      },
      (patience + 1) * wallMs + graceMs,
    );
    try {
      return await renderRound(held.browser, page, signal, wallMs);
    } catch (error) {
      if (!(error instanceof BrowserGone)) throw error;
      return { ...crashed, wallMs: performance.now() - began };
    } finally {
      clearTimeout(stuck);
      await this.#giveBack(held);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Those that are being started are among them then, or have failed to.
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#all].map((held) => held.browser.end()));
  }

  async #take(): Promise<Held> {
    if (this.#isClosed) throw new Error('the renderer is closed');
    for (let held = this.#idle.pop(); held !== undefined; held = this.#idle.pop()) {
      if (held.browser.lives()) return held;
      await this.#end(held);
    }
    const starting = this.#start();
    this.#starting.add(starting);
    return starting.finally(() => this.#starting.delete(starting));
  }

  async #start(): Promise<Held> {
    const browser = await launch(this.#options.program, this.#options.scratch, this.#options.cell);
    const held = { browser, rounds: 0 };
    this.#all.add(held);
    this.#options.log(`${browser.version} ${browser.cell}`);
    return held;
  }

  /** After a page: whether the browser goes on. */
  async #giveBack(held: Held): Promise<void> {
    const { maxRounds = 200, maxBytes = 1_024 ** 3 } = this.#options;
    const { browser, rounds } = held;
    if (browser.lives() && rounds < maxRounds && (await browser.memory()) <= maxBytes) this.#idle.push(held);
    else await this.#end(held);
  }

  async #end(held: Held): Promise<void> {
    if (!held.browser.lives()) this.#options.log('the browser has ended unasked');
    this.#all.delete(held);
    await held.browser.end();
  }
}

const crashed: Omit<Round, 'wallMs'> = {
  outcome: 'crashed',
  dom: new Uint8Array(),
  missing: [],
  resources: [],
  refused: {},
  console: [],
  navigation: null,
  pageMs: 0,
};
