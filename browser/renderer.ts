/**
 * The renderer of a process. A browser renders one page at a time: frames that are asked for of two pages at once end the
 * shell as a whole, and nobody waits for a page that takes all of its time. So there are as many browsers as pages were
 * rendered at the same time. Each page has a context of its own. A browser is replaced after some pages or when it has
 * grown, and after it has ended unasked.
 */
import type { PageToRender, Renderer, Round } from '../contracts/rendering.ts';
import { renderLimits } from '../domain/rendering/limits.ts';
import type { Cell } from './cell.ts';
import { launch } from './launch.ts';
import type { Browser } from './launch.ts';
import { nothingRead } from './read-page.ts';
import { patience, renderRound } from './round.ts';

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
  /** Milliseconds for which no browser may start before pages should not wait for one. */
  readonly startMs?: number;
  /** Absent: the best that the system allows. */
  readonly cell?: Cell;
}

/** Milliseconds by the clock for making and removing the context of a page, on a machine that is very busy. */
const graceMs = 20_000;

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
  /** Since when no browser has started; null: the last one has. */
  #failsSince: number | null = null;
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

  /** Whether pages may wait for it. If not, because no browser starts any more, one start at a time is tried. */
  serves(): boolean {
    const { startMs = 120_000 } = this.#options;
    const isThere = [...this.#all].some(({ browser }) => browser.lives());
    if (isThere || this.#failsSince === null || performance.now() - this.#failsSince < startMs) return true;
    // Its failure is noted, and told in the log, where it happens.
    if (this.#starting.size === 0) void this.start().catch(() => undefined);
    return false;
  }

  async render(page: PageToRender, signal: AbortSignal): Promise<Round> {
    const held = await this.#take();
    held.rounds++;
    const began = performance.now();
    const { wallMs: mostMs = renderLimits.wallMs, log } = this.#options;
    // A browser that is late with this page answers nobody.
    const stuck = setTimeout(
      () => {
        log('the browser does not answer, and is killed');
        void held.browser.end();
      },
      (patience + 1) * mostMs + graceMs,
    );
    try {
      const round = await renderRound(held.browser, page, signal, mostMs).catch((error: unknown): Round => {
        // Whatever it is, the next page must have its turn.
        log(`a round has failed: ${String(error)}`);
        const wallMs = performance.now() - began;
        return { outcome: 'crashed', ...nothingRead, refused: {}, navigation: null, pageMs: 0, wallMs };
      });
      if ('fault' in round) throw round.fault;
      return round;
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
    const { program, scratch, cell, log } = this.#options;
    const browser = await launch(program, scratch, cell).catch((error: unknown) => {
      if (this.#failsSince === null) log(`no browser starts: ${String(error)}`);
      this.#failsSince ??= performance.now();
      throw error;
    });
    this.#failsSince = null;
    const held = { browser, rounds: 0 };
    this.#all.add(held);
    log(`${browser.version} ${browser.cell}`);
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
