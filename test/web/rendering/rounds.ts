/**
 * Stands for archive and frontier: what a page was missing is asked of the web once, without cookies and without
 * following redirects, and is there in the next round.
 */
import type { Found, GivenAnswer, Renderer, Round, WantedResource } from '../../../contracts/rendering.ts';
import { renderLimits } from '../../../domain/rendering/limits.ts';

export class Archive {
  readonly #found = new Map<string, Promise<Found>>();
  readonly #there = new Set<string>();

  find(wanted: WantedResource): Promise<Found> {
    const key = keyOf(wanted);
    const found = this.#found.get(key);
    return found === undefined || !this.#there.has(key) ? Promise.resolve('missing') : found;
  }

  async fetch(missing: readonly WantedResource[]): Promise<void> {
    await Promise.all(
      missing.map(async (wanted) => {
        const key = keyOf(wanted);
        const found = this.#found.get(key) ?? ask(wanted.url, wanted.method);
        this.#found.set(key, found);
        await found;
        this.#there.add(key);
      }),
    );
  }
}

const keyOf = ({ method, url }: WantedResource): string => `${method} ${url}`;

async function ask(url: string, method = 'GET'): Promise<GivenAnswer> {
  const answer = await fetch(url, { method, redirect: 'manual' });
  return {
    status: answer.status,
    headers: [...answer.headers],
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}

export interface Rendered {
  readonly rounds: readonly Round[];
  readonly last: Round;
}

/** As often as the page is missing something that it may have. */
export async function renderWhole(renderer: Renderer, url: string, archive: Archive): Promise<Rendered> {
  const answer = await ask(url);
  const rounds: Round[] = [];
  for (;;) {
    const missing: WantedResource[] = [];
    const find = async (wanted: WantedResource): Promise<Found> => {
      const found = await archive.find(wanted);
      if (found === 'missing') missing.push(wanted);
      return found;
    };
    const round = await renderer.render({ url, answer, find }, new AbortController().signal);
    rounds.push(round);
    if (missing.length === 0 || rounds.length === renderLimits.rounds) return { rounds, last: round };
    await archive.fetch(missing);
  }
}
