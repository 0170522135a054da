/** The totals of the instance, from its metrics (the Prometheus text format). */
import { useEffect, useState } from 'preact/hooks';
import { answerTo, Refusal, session } from './client.ts';

/** By name and labels, as `orbweaver_crawls{state="running"}`. */
export type Figures = ReadonlyMap<string, number>;

const everyMs = 10_000;

const figuresIn = (text: string): Figures =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      })
      // What is not known is told as NaN.
      .filter(([, value]) => Number.isFinite(value)),
  );

/** Values of one metric by the value of its one label, the largest first; those that are zero are left out. */
export function byLabel(figures: Figures, name: string): [label: string, value: number][] {
  const found: [string, number][] = [];
  for (const [key, value] of figures) {
    const label = key.startsWith(`${name}{`) ? /="([^"]*)"/.exec(key)?.[1] : undefined;
    if (label !== undefined && value > 0) found.push([label, value]);
  }
  return found.sort(([, a], [, b]) => b - a);
}

/** Null: not read yet, or the caller may not read them. */
export function useFigures(): Figures | null {
  const [figures, setFigures] = useState<Figures | null>(null);
  const who = session.value;
  const may = who?.instance === true && (who.scopes === null || who.scopes.includes('metrics'));
  useEffect(() => {
    if (!may) return undefined;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        if (!document.hidden)
          setFigures(figuresIn(await (await answerTo('/metrics', { signal: ended.signal })).text()));
      } catch (error) {
        // The frame says that the API is away; figures that are old are better than none.
        if (!(error instanceof Refusal) && !ended.signal.aborted) throw error;
      }
      if (!ended.signal.aborted) timer = setTimeout(() => void look(), everyMs);
    };
    void look();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [may]);
  return figures;
}
