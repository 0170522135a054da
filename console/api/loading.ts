/** Reads from the API while a component is shown, again and again where asked, and keeps what it had through an outage. */
import { useEffect, useState } from 'preact/hooks';
import { answerTo, ask, Refusal, type Paged, type Sent } from './client.ts';

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

/**
 * @param path null: nothing is asked
 * @param everyMs between an answer and the next question; absent: asked once
 * @param read what is taken of the answer; absent: its JSON
 */
export function useAnswer<T>(
  path: string | null,
  everyMs?: number,
  read: (path: string, sent: Sent) => Promise<T> = ask,
): Loading<T> {
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
      // What nobody looks at is not asked for, until somebody does.
      if (document.hidden) next ??= awayMs;
      else
        try {
          const value = await read(path, { signal: ended.signal });
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

/** The answer as text. */
export const askText = async (path: string, sent: Sent): Promise<string> =>
  (await answerTo(path, sent)).text();

export interface List<T, Piece = Paged<T>> extends Loading<readonly T[]> {
  /** Null: there is nothing more, or it is being read. */
  readonly more: (() => void) | null;
  readonly isReading: boolean;
  /** The latest answer, for what it says beside its entries. */
  readonly latest: Piece | undefined;
}

interface ListState<T, Piece> {
  readonly path: string | null;
  readonly items?: readonly T[];
  readonly latest?: Piece;
  readonly next: string | null;
  readonly refusal: Refusal | null;
  readonly isReading: boolean;
  /** How many pieces were read. */
  readonly pieces: number;
}

/**
 * A list of the API, a piece at a time: further pieces come when somebody asks for them.
 * @param everyMs after which the first piece is read again, while it is the only one; absent: it is read once
 */
export function useList<T, Piece extends Paged<T> = Paged<T>>(
  path: string | null,
  everyMs?: number,
): List<T, Piece> {
  const empty: ListState<T, Piece> = { path, next: null, refusal: null, isReading: path !== null, pieces: 0 };
  const [kept, setState] = useState<ListState<T, Piece>>(empty);
  const [turn, setTurn] = useState(0);
  const state = kept.path === path ? kept : empty;
  const read = async (before: ListState<T, Piece> | null, signal?: AbortSignal): Promise<void> => {
    if (path === null) return;
    const cursor = before?.next ?? null;
    const at =
      cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    try {
      const piece = await ask<Piece>(at, signal === undefined ? {} : { signal });
      // Lists that may still grow say by `more` whether there is something to read now.
      const next = piece.more === false ? null : piece.next;
      const items = [...(before?.items ?? []), ...piece.items];
      setState({
        path,
        items,
        latest: piece,
        next,
        refusal: null,
        isReading: false,
        pieces: (before?.pieces ?? 0) + 1,
      });
    } catch (error) {
      if (signal?.aborted === true) return;
      setState((was) => ({
        ...(was.path === path ? was : empty),
        refusal: refusalOf(error),
        isReading: false,
      }));
    }
  };
  const isGrown = state.pieces > 1;
  useEffect(() => {
    const ended = new AbortController();
    void read(null, ended.signal);
    return () => {
      ended.abort();
    };
  }, [path, turn]);
  useEffect(() => {
    if (path === null || everyMs === undefined || isGrown) return undefined;
    const ended = new AbortController();
    const timer = setInterval(() => {
      if (!document.hidden) void read(null, ended.signal);
    }, everyMs);
    return () => {
      ended.abort();
      clearInterval(timer);
    };
  }, [path, everyMs, isGrown]);
  const again = (): void => {
    setTurn((before) => before + 1);
  };
  // What an outage kept from coming is asked for again.
  useEffect(() => {
    if (state.refusal?.status !== 0) return undefined;
    const timer = setTimeout(again, awayMs);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);
  const { items, latest, next, refusal, isReading } = state;
  const more = (): void => {
    setState({ ...state, isReading: true });
    void read(state);
  };
  return { value: items, refusal, again, more: next === null || isReading ? null : more, isReading, latest };
}
