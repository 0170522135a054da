/**
 * What becomes of a request by its kind: asked of the archive, or refused.
 *
 * Refused is what adds no text: pictures, media, fonts, beacons, whatever waits for a server that speaks first. And what
 * may change something at the server: only GET and HEAD are asked for.
 */
import type { WantedResource } from '../contracts/rendering.ts';

export type Treatment =
  | { readonly ask: WantedResource['type']; readonly method: WantedResource['method'] }
  /** `answer`: it is answered with nothing, since the page would take an error for a reason to ask for something else. */
  | { readonly refuse: string; readonly answer?: 'picture' | 'nothing' };

/** By the names that the DevTools protocol has for kinds (Network.ResourceType). */
const kinds: Readonly<Record<string, Treatment | WantedResource['type']>> = {
  Document: 'document',
  Script: 'script',
  Stylesheet: 'stylesheet',
  XHR: 'xhr',
  Fetch: 'xhr',
  // Scripts of workers are among them.
  Other: 'other',
  Image: { refuse: 'image', answer: 'picture' },
  Font: { refuse: 'font', answer: 'nothing' },
  Media: { refuse: 'media' },
  TextTrack: { refuse: 'media' },
  Prefetch: { refuse: 'prefetch' },
  // By an answer of another kind it is over; after an error it would ask again.
  EventSource: { refuse: 'event stream', answer: 'nothing' },
  Manifest: { refuse: 'manifest' },
  Ping: { refuse: 'beacon' },
  CSPViolationReport: { refuse: 'beacon' },
};

/** Methods that are told by name. A page makes up as many as it likes, of any length. */
const knownMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * @param byScript the request comes from a script. A style sheet that the page's HTML names is answered with nothing,
 *   unless somebody will look at the page: one that a script names may be waited for.
 */
export function treatmentOf(kind: string, method: string, byScript: boolean, looked: boolean): Treatment {
  const treatment = kinds[kind] ?? { refuse: kind };
  if (typeof treatment !== 'string') return treatment;
  if (method !== 'GET' && method !== 'HEAD')
    return { refuse: knownMethods.includes(method) ? method : 'other method' };
  return treatment === 'stylesheet' && !byScript && !looked
    ? { refuse: treatment, answer: 'nothing' }
    : { ask: treatment, method };
}
