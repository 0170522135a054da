/**
 * The renderer of a process: one browser for all its pages, each in a context of its own. The browser starts with the
 * first page, is replaced after some pages or when it has grown, and after it has ended unasked.
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

interface Held {
  readonly browser: Browser;
  rounds: number;
  underWay: number;
  isWorn: boolean;
}

/** Its methods reject with NoBrowser where the browser does not start. */
export class BrowserRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #all = new Set<Held>();
  #current: Promise<Held> | null = null;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /** The browser that serves now, started if none does. */
  async start(): Promise<Browser> {
    return (await this.#take()).browser;
  }

  async render(page: PageToRender, signal: AbortSignal): Promise<Round> {
    const held = await this.#take();
    held.rounds++;
    held.underWay++;
    const began = performance.now();
    const { wallMs = renderLimits.wallMs, log } = this.#options;
    // A browser that is late with this page answers nobody.
    const stuck = setTimeout(() => {
      log('the browser does not answer, and is killed');
      void held.browser.end();
    }, wallMs + graceMs);
    try {
      return await renderRound(held.browser, page, signal, wallMs);
    } catch (error) {
      if (!(error instanceof BrowserGone)) throw error;
      return { ...crashed, wallMs: performance.now() - began };
    } finally {
      clearTimeout(stuck);
      held.underWay--;
      await this.#look(held);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // One that is being started is among them then, or has failed to.
    await this.#current?.catch(() => undefined);
    await Promise.all([...this.#all].map((held) => held.browser.end()));
  }

  async #take(): Promise<Held> {
    if (this.#isClosed) throw new Error('the renderer is closed');
    const current = this.#current;
    const held = (await current?.catch(() => null)) ?? null;
    if (held !== null && !held.isWorn && held.browser.lives()) return held;
    // Somebody else may have started one while we waited.
    return this.#current === current ? this.#start() : this.#take();
  }

  #start(): Promise<Held> {
    const starting = launch(this.#options.program, this.#options.scratch, this.#options.cell).then(
      (browser) => {
        const held = { browser, rounds: 0, underWay: 0, isWorn: false };
        this.#all.add(held);
        this.#options.log(`${browser.version} ${browser.cell}`);
        return held;
      },
    );
    this.#current = starting;
    return starting;
  }

  /** After a page: whether the browser goes on. */
  async #look(held: Held): Promise<void> {
    const { maxRounds = 200, maxBytes = 1_024 ** 3 } = this.#options;
    const { browser } = held;
    if (!browser.lives()) this.#options.log('the browser has ended unasked');
    else if (!held.isWorn && (held.rounds >= maxRounds || (await browser.memory()) > maxBytes))
      held.isWorn = true;
    if ((held.isWorn || !browser.lives()) && held.underWay === 0 && this.#all.delete(held))
      await browser.end();
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
