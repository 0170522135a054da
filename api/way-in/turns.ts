/**
 * The share of a request in what all tenants use: the event loop of this process, its threads, the connections to
 * Postgres. None of these goes to those who come first.
 *
 * Each request of a known caller takes a place of its tenant before anything is done for it, and gives it back with its
 * answer. Further requests of the tenant wait, so that another tenant's request finds a few of them in its way, however
 * many there are. Routes that are costly (`cost` in route.ts), and large bodies, take a turn at heavy work beside, of
 * which there are few, and one for a tenant. Answers that last (streams) give their place back when they begin, since
 * they have bounds of their own, and take a turn for each costly part.
 */
import type { Request, RequestHandler, Response } from 'express';
import { FairTurns, type Turn, type TurnBounds } from '../../domain/fair-turns.ts';
import { callerIfAny } from './caller.ts';
import { HttpProblem } from './problem.ts';
import { forTenant } from './tenant-at-work.ts';

/** Some of them wait for a turn at heavy work, for Temporal, or for a slow client to send its body. */
const placeBounds: TurnBounds = {
  atOnce: Infinity,
  atOnceOfOne: 12,
  waiting: Infinity,
  waitingOfOne: 1_000,
};
/** Few, since each may keep a core or a connection busy for seconds; more than one, since some take minutes. */
const heavyBounds: TurnBounds = { atOnce: 4, atOnceOfOne: 1, waiting: 100, waitingOfOne: 4 };
/** Large bodies that are held in memory; further ones stay unread at their clients. */
const bodyBounds: TurnBounds = {
  atOnce: 32,
  atOnceOfOne: 5,
  waiting: Infinity,
  waitingOfOne: Infinity,
};
/** Seconds after which a refused caller may ask again. */
const placeSeconds = '1';
const heavySeconds = '5';

export interface Turns {
  readonly places: FairTurns;
  readonly heavy: FairTurns;
  readonly bodies: FairTurns;
}

export const createTurns = (heavy = heavyBounds, places = placeBounds): Turns => ({
  places: new FairTurns(places),
  heavy: new FairTurns(heavy),
  bodies: new FairTurns(bodyBounds),
});

export class RequestTurns {
  readonly #tenantId: number;
  readonly #turns: Turns;
  readonly #place: Turn;
  #heavy: Turn | null = null;
  #body: Turn | null = null;
  #isTurnedAway = false;

  constructor(tenantId: number, turns: Turns, place: Turn) {
    this.#tenantId = tenantId;
    this.#turns = turns;
    this.#place = place;
  }

  /** The request was refused for want of a turn, so nothing was done. */
  get isTurnedAway(): boolean {
    return this.#isTurnedAway;
  }

  /**
   * Resolves when the request has its turn at heavy work, at once if it has one already. False: the client has gone.
   * @throws HttpProblem if too many wait
   */
  async takeHeavy(response: Response): Promise<boolean> {
    if (this.#heavy !== null) return true;
    const turn = this.#turns.heavy.ask(this.#tenantId);
    if (typeof turn === 'string') {
      this.#isTurnedAway = true;
      response.set('Retry-After', heavySeconds);
      throw turn === 'full'
        ? new HttpProblem(503, 'Too many costly requests are under way now. Try again soon.', {
            kind: 'busy',
          })
        : new HttpProblem(429, tooManyOfOne, { kind: 'rate-limited' });
    }
    this.#heavy = turn;
    return begun(turn, response);
  }

  /** Resolves when a large body may be read. False: the client has gone. */
  takeBody(response: Response): Promise<boolean> {
    this.#body ??= this.#turns.bodies.join(this.#tenantId);
    return begun(this.#body, response);
  }

  /** The parts of an answer that lasts, each made in a turn at heavy work. */
  async *inTurns<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = parts[Symbol.asyncIterator]();
    try {
      for (;;) {
        const part = await this.inTurn(() => iterator.next());
        if (part.done === true) return;
        yield part.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** A costly part of a request that has been let in, and so is not refused. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.heavy.join(this.#tenantId);
    try {
      await turn.begins;
      return await forTenant(this.#tenantId, work);
    } finally {
      turn.end();
    }
  }

  /** For an answer that lasts and has bounds of its own. */
  leavePlace(): void {
    this.#place.end();
  }

  end(): void {
    this.#place.end();
    this.#heavy?.end();
    this.#body?.end();
  }
}

const tooManyOfOne =
  'Your tenant has too many costly requests under way: one is worked on at a time, and four may wait. Retry-After says when to try again.';

const turnsByRequest = new WeakMap<Request, RequestTurns>();

/** Undefined: the route is public. */
export const turnsOf = (request: Request): RequestTurns | undefined => turnsByRequest.get(request);

/** Run once the caller is known, before anything is done for the request. */
export function takePlace(turns: Turns): RequestHandler {
  return async (request, response, next) => {
    const caller = callerIfAny(request);
    if (caller === undefined) {
      next();
      return;
    }
    const { tenantId } = caller;
    const place = turns.places.ask(tenantId);
    if (typeof place === 'string') {
      response.set('Retry-After', placeSeconds);
      const detail =
        'Too many requests of your tenant wait for their answer. Retry-After says when to try again.';
      throw new HttpProblem(429, detail, { kind: 'rate-limited' });
    }
    if (!(await begun(place, response))) return;
    const own = new RequestTurns(tenantId, turns, place);
    turnsByRequest.set(request, own);
    // Also where the client has gone: its request may still be worked on, and ends with an answer that nobody reads.
    const end = response.end.bind(response) as (...args: readonly unknown[]) => Response;
    response.end = (...args: readonly unknown[]): Response => {
      own.end();
      return end(...args);
    };
    forTenant(tenantId, next);
  };
}

/** False: the client went while the turn was waited for, which is over then. */
async function begun(turn: Turn, response: Response): Promise<boolean> {
  const left = Promise.withResolvers<undefined>();
  const leave = (): void => {
    left.resolve(undefined);
  };
  response.once('close', leave);
  await Promise.race([turn.begins, left.promise]);
  response.off('close', leave);
  if (!response.closed) return true;
  turn.end();
  return false;
}
