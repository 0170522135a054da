/** Work that looks at whole crawls: one piece at a time in a process, with a short queue. */
import type { Response } from 'express';
import { HttpProblem } from '../way-in/problem.ts';

/** Seconds after which a refused caller may ask again. */
const laterSeconds = '15';

export type InLine = <T>(response: Response, work: () => Promise<T>) => Promise<T>;

/** @param most pieces that may wait; further ones are refused (503) */
export function oneAtATime(most: number): InLine {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (response, work) => {
    if (waiting > most) {
      response.set('Retry-After', laterSeconds);
      const detail = 'Too many requests of this kind are running now; Retry-After says when to try again.';
      throw new HttpProblem(503, detail, { kind: 'busy' });
    }
    waiting++;
    const done = last.then(work).finally(() => waiting--);
    last = done.catch(() => undefined);
    return done;
  };
}

/** As `oneAtATime`, for answers with a name: callers that ask for an answer that is being made share it. */
export function madeInLine<T>(
  most: number,
): (response: Response, name: string, make: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const inLine = oneAtATime(most);
  return (response, name, make) => {
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const made = inLine(response, make).finally(() => underWay.delete(name));
    underWay.set(name, made);
    return made;
  };
}
