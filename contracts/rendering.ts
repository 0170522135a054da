/**
 * Rendering: the contract between `browser/`, which runs a page's scripts without a network, and its callers, who have
 * the archive and the frontier.
 *
 * A round runs the page from its start. Whatever the page asks for is answered from the archive at once, or fails at
 * once, so that no browser is held while anything is fetched. The caller has what was missing fetched, and renders the
 * page again. Clock, random numbers and time are the same in each round, so the page asks for the same URLs.
 */

/** An answer as the archive has it. */
export interface GivenAnswer {
  readonly status: number;
  /**
   * As they came, in their order. Those that describe the transfer (Content-Encoding, Content-Length and the like) are
   * dropped by the browser, which is told the length of the body.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded by Content-Encoding. Empty for redirects. */
  readonly body: Uint8Array;
}

/**
 * What a page asks for while it is rendered. Requests with other methods, and for images, media, fonts, sockets, beacons
 * and the like, are refused by the browser and never get here.
 */
export interface WantedResource {
  /** Absolute http(s) URL without a fragment. */
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  /** `document`: of a frame within the page. `xhr`: by fetch() or XMLHttpRequest. */
  readonly type: 'document' | 'script' | 'stylesheet' | 'xhr' | 'other';
}

/**
 * What the archive has for it. `missing`: nobody has asked the web for it yet. `failed`: it will not come, and why, in
 * words. Both are network errors for the page.
 */
export type Found = GivenAnswer | 'missing' | { readonly failed: string };

export interface PageToRender {
  /** Absolute http(s) URL that the answer came from. */
  readonly url: string;
  readonly answer: GivenAnswer;
  /**
   * Must answer from what is stored: the round waits for it, and its time counts as the page's. Asked once for each method
   * and URL, however many there are: the caller bounds what a page is given, and counts what it is not.
   */
  readonly find: (wanted: WantedResource) => Promise<Found>;
  /** A picture (PNG) of the whole page, or of what a window of ordinary height shows; absent: none. */
  readonly picture?: 'page' | 'window';
  readonly pdf?: boolean;
  /** Asked once the page's time is over: whether picture and PDF are made, since it has all that it gets. Absent: they are. */
  readonly isWhole?: () => boolean;
}

/** What one round has shown. Byte for byte the same for the same answers, but for the times. */
export interface Round {
  /**
   * `settled`: its time ran to the end. `cut`: the page was out of its budget (time by the clock, requests); what was there
   * is told. `crashed`: the page or the browser ended, or shows nothing, such as a
   * page that takes all memory or is a file; `dom` is empty.
   */
  readonly outcome: 'settled' | 'cut' | 'crashed';
  /**
   * HTML in UTF-8 with its doctype. Shadow trees are in the declarative form. What frames of the page's own site show
   * stands behind each in `<div data-frame="URL">`, its links absolute. `<base>` is added where a script has changed the
   * page's address.
   */
  readonly dom: Uint8Array;
  /** What limits have left out of `dom`: frames, and the rest of a text that is too long. */
  readonly leftOut: number;
  /** How many requests were refused, by what they were: `POST`, `image`, `WebSocket`. */
  readonly refused: Readonly<Record<string, number>>;
  /** What the page wrote to its console, and its uncaught errors: the first 20, shortened. */
  readonly console: readonly string[];
  /** Where scripts wanted the window to go first; it was not followed. */
  readonly navigation: string | null;
  /** Milliseconds of the page's own, virtual time. */
  readonly pageMs: number;
  readonly wallMs: number;
  readonly picture?: Uint8Array;
  readonly pdf?: Uint8Array;
}

/** @public Implemented by `browser/`, used by the lane that renders. */
export interface Renderer {
  /**
   * When the signal is aborted, the round ends as `cut`.
   * @throws what `find` has thrown, or that the browser cannot be started, which is no fault of the page; never for what a
   *   page does
   */
  readonly render: (page: PageToRender, signal: AbortSignal) => Promise<Round>;
  readonly close: () => Promise<void>;
}
