/** Reads from the API while a component is shown, again and again where asked, and keeps what it had through an outage. */
import { useEffect, useState } from 'preact/hooks';
import { ask, isAway, Refusal, type Paged } from './client.ts';

export interface Loading<T> {
  /** Undefined: nothing has come yet. */
  readonly value: T | undefined;
  /** Why the latest try failed. */
  readonly refusal: Refusal | null;
  readonly again: () => void;
}

const awayMs = 2_000;

const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal(0, { title: 'An error of this page', detail: String(error) });

/** @param path null: nothing is asked @param everyMs between an answer and the next question; absent: asked once */
export function useAnswer<T>(path: string | null, everyMs?: number): Loading<T> {
  const [state, setState] = useState<{ path: string | null; value?: T; refusal: Refusal | null }>({
    path,
    refusal: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let next = everyMs;
      // What nobody looks at is not asked for.
      if (!document.hidden)
        try {
          const value = await ask<T>(path, { signal: ended.signal });
          setState({ path, value, refusal: null });
        } catch (error) {
          if (ended.signal.aborted) return;
          const refusal = refusalOf(error);
          setState((before) => ({ ...(before.path === path ? before : {}), path, refusal }));
          if (refusal.status === 0 || refusal.status >= 500) next = awayMs;
          else next = undefined;
        }
      if (next !== undefined && !ended.signal.aborted) timer = setTimeout(() => void look(), next);
    };
    void look();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs, turn]);
  const again = (): void => {
    setTurn((before) => before + 1);
  };
  return state.path === path
    ? { value: state.value, refusal: state.refusal, again }
    : { value: undefined, refusal: null, again };
}

export interface List<T> extends Loading<readonly T[]> {
  /** Null: there is nothing more, or it is being read. */
  readonly more: (() => void) | null;
  readonly isReading: boolean;
}

/** A list of the API, a piece at a time: further pieces come when somebody asks for them. */
export function useList<T>(path: string | null): List<T> {
  const [state, setState] = useState<{
    path: string | null;
    items?: readonly T[];
    next: string | null;
    refusal: Refusal | null;
    isReading: boolean;
  }>({ path, next: null, refusal: null, isReading: false });
  const [turn, setTurn] = useState(0);
  const read = async (before: readonly T[], cursor: string | null, signal?: AbortSignal): Promise<void> => {
    if (path === null) return;
    setState((was) => ({ ...was, path, isReading: true }));
    const at =
      cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    try {
      const piece = await ask<Paged<T>>(at, signal === undefined ? {} : { signal });
      // Lists that may still grow say by `more` whether there is something to read now.
      const next = piece.more === false ? null : piece.next;
      setState({ path, items: [...before, ...piece.items], next, refusal: null, isReading: false });
    } catch (error) {
      if (signal?.aborted === true) return;
      setState((was) => ({ ...was, path, refusal: refusalOf(error), isReading: false }));
    }
  };
  useEffect(() => {
    const ended = new AbortController();
    setState({ path, next: null, refusal: null, isReading: true });
    void read([], null, ended.signal);
    return () => {
      ended.abort();
    };
  }, [path, turn]);
  // After an outage what failed is asked again.
  useEffect(
    () =>
      isAway.subscribe((away) => {
        if (!away && state.refusal?.status === 0) setTurn((before) => before + 1);
      }),
    [state.refusal],
  );
  const { items, next, refusal, isReading } = state;
  const again = (): void => {
    setTurn((before) => before + 1);
  };
  const more = next === null || isReading ? null : () => void read(items ?? [], next);
  return { value: state.path === path ? items : undefined, refusal, again, more, isReading };
}
