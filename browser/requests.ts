/** All that a page asks of the network, in one round: what is asked of the archive, what is refused, and who is told. */
import { setTimeout as after } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol';
import type { Found, GivenAnswer, PageToRender, Round, WantedResource } from '../contracts/rendering.ts';
import { maxUrlLength } from '../domain/url.ts';
import { emptyAnswers, fieldOf, fulfilled, preflightAnswer } from './answers.ts';
import type { Session } from './devtools.ts';
import { treatmentOf } from './kinds.ts';
import { Turns } from './turns.ts';

type Paused = Protocol.Fetch.RequestPausedEvent;

/** Requests of all kinds after which a page is ended: it will never be done. */
const maxRequests = 1_500;

/** Characters of a request's head; servers take no longer one. Until a request is answered, all of it is held. */
const maxHead = 16_384;

/** Milliseconds by the clock until it is told who asks, on a busy machine. */
const begunMs = 100;

interface Telling {
  readonly fail: (reason: Protocol.Network.ErrorReason) => Promise<void>;
  readonly fulfil: (answer: ReturnType<typeof fulfilled>) => Promise<void>;
}

export class Requests {
  readonly #page: PageToRender;
  readonly #mainFrame: string;
  /** Ends the round: the page asks without end, or `find` has failed, which is no fault of the page. */
  readonly #end: (why: 'cut' | { readonly fault: unknown }) => void;
  readonly #turns = new Turns();
  readonly #asked = new Map<string, Promise<Found>>();
  readonly #refused = new Map<string, number>();
  /** Whether a script has asked, by request; told beside the request itself, before it or after. */
  readonly #byScript = new Map<string, boolean>();
  readonly #begun = new Map<string, () => void>();
  /** Frames in the order of their making; the page itself is the first. */
  readonly #frames: string[];
  #requests = 0;
  #isAnswered = false;
  #navigation: string | null = null;

  constructor(
    page: PageToRender,
    mainFrame: string,
    end: (why: 'cut' | { readonly fault: unknown }) => void,
  ) {
    this.#page = page;
    this.#mainFrame = mainFrame;
    this.#frames = [mainFrame];
    this.#end = end;
  }

  /** Who asks for it. */
  begins({ requestId, initiator }: Protocol.Network.RequestWillBeSentEvent): void {
    this.#byScript.set(requestId, initiator.type === 'script');
    this.#begun.get(requestId)?.();
    this.#begun.delete(requestId);
  }

  /** Resolves when all is answered that has been asked. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  frameMade(id: string): void {
    this.#frames.push(id);
  }

  ends(networkId: string): void {
    this.#turns.taken(networkId);
  }

  refuse(what: string): void {
    this.#refused.set(what, (this.#refused.get(what) ?? 0) + 1);
  }

  /** A script wants the window to show something else. */
  navigates(url: string): void {
    this.#navigation ??= url;
  }

  /** @param session that of the page or the worker that asks */
  paused(session: Session, paused: Paused): void {
    const { requestId, networkId = requestId, request, resourceType, frameId } = paused;
    // After a redirect the request comes again by the same name.
    this.ends(networkId);
    const told: Telling = {
      fail: (errorReason) => heard(session.send('Fetch.failRequest', { requestId, errorReason })),
      fulfil: (answer) => heard(session.send('Fetch.fulfillRequest', { requestId, ...answer })),
    };
    if (resourceType === 'Document' && frameId === this.#mainFrame) {
      if (this.#isAnswered) {
        this.navigates(request.url);
        void told.fail('Aborted');
        return;
      }
      this.#isAnswered = true;
      void told.fulfil(fulfilled(this.#page.answer));
      return;
    }
    if (++this.#requests > maxRequests) {
      this.#end('cut');
      // Unanswered, since thousands of answers would keep the page from being read.
      this.refuse(`request after the first ${String(maxRequests)}`);
      return;
    }
    const treat = (byScript: boolean) => this.#treat(told, paused, networkId, byScript);
    // Of style sheets alone it matters.
    if (resourceType === 'Stylesheet') void this.#isByScript(networkId).then(treat);
    else treat(false);
  }

  #treat(
    told: Telling,
    { request, resourceType, frameId }: Paused,
    networkId: string,
    byScript: boolean,
  ): void {
    const preflight =
      request.method === 'OPTIONS' ? fieldOf(request.headers, 'access-control-request-method') : null;
    const looked = this.#page.picture !== undefined || this.#page.pdf === true;
    const kind = kindOf(resourceType, request);
    const treatment = treatmentOf(kind, preflight ?? request.method, byScript, looked);
    if ('refuse' in treatment) {
      this.refuse(treatment.refuse);
      void (treatment.answer === undefined
        ? told.fail('BlockedByClient')
        : told.fulfil(emptyAnswers[treatment.answer]));
      return;
    }
    if (isTooLong(request)) {
      this.refuse('request that is too long');
      void told.fail('BlockedByClient');
      return;
    }
    const url = request.url.split('#')[0] ?? request.url;
    const found = this.#find({ url, method: treatment.method, type: treatment.ask });
    this.#turns.add(Math.max(0, this.#frames.indexOf(frameId)), networkId, async () => {
      const answer = await found;
      if (!isGiven(answer)) return told.fail('Failed');
      return told.fulfil(preflight === null ? fulfilled(answer) : preflightAnswer(request.headers, answer));
    });
  }

  async #isByScript(networkId: string): Promise<boolean> {
    if (!this.#byScript.has(networkId))
      await Promise.race([
        new Promise<void>((resolve) => this.#begun.set(networkId, resolve)),
        after(begunMs, undefined, { ref: false }),
      ]);
    return this.#byScript.get(networkId) ?? false;
  }

  #find(wanted: WantedResource): Promise<Found> {
    const key = `${wanted.method} ${wanted.url}`;
    const found =
      this.#asked.get(key) ??
      this.#page.find(wanted).catch((fault: unknown): Found => {
        this.#end({ fault });
        return { failed: 'it could not be looked for' };
      });
    this.#asked.set(key, found);
    return found;
  }

  /** What came of it, at the end of the round. */
  told(): Pick<Round, 'refused' | 'navigation'> {
    return {
      refused: Object.fromEntries([...this.#refused].sort(([a], [b]) => (a < b ? -1 : 1))),
      navigation: this.#navigation,
    };
  }
}

/** Longer than any that could be asked of the archive. */
const isTooLong = ({ url, headers }: Protocol.Network.Request): boolean =>
  url.length > maxUrlLength ||
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0) > maxHead;

/** The kind of a request, told more closely than the protocol does. */
function kindOf(kind: string, { url, headers }: Protocol.Network.Request): string {
  if (!/^https?:/.test(url)) return 'scheme';
  if (fieldOf(headers, 'accept') === 'text/event-stream') return 'EventSource';
  // Nobody but the browser wants the picture of its tab.
  return kind === 'Other' && url.endsWith('/favicon.ico') ? 'Image' : kind;
}

/** The page may have ended meanwhile, and its requests with it. */
const heard = (telling: Promise<unknown>): Promise<void> =>
  telling.then(
    () => undefined,
    () => undefined,
  );

const isGiven = (found: Found): found is GivenAnswer => typeof found === 'object' && 'status' in found;
