/** The live stream of a crawl: server-sent events, read again from the last one after a break. */
import { useEffect } from 'preact/hooks';
import type { CrawlEvent } from '../../contracts/http/events.ts';
import { answerTo, Refusal } from './client.ts';

interface Streamed {
  readonly event: string;
  readonly data: unknown;
}

const againMs = 2_000;

/**
 * Calls `tell` with each event while the component is shown. `EventSource` would do but for its errors, which tell nobody
 * that the session is over.
 */
export function useStream(crawlId: string, tell: (event: Streamed) => void): void {
  useEffect(() => {
    const ended = new AbortController();
    void follow(crawlId, tell, ended.signal);
    return () => {
      ended.abort();
    };
  }, [crawlId]);
}

async function follow(crawlId: string, tell: (event: Streamed) => void, ended: AbortSignal): Promise<void> {
  let last: string | null = null;
  const isOver = (): boolean => ended.aborted;
  while (!isOver()) {
    try {
      const answer: Response = await answerTo(`/v1/crawls/${crawlId}/events`, {
        signal: ended,
        headers: { Accept: 'text/event-stream', ...(last !== null && { 'Last-Event-ID': last }) },
      });
      for await (const { id, event, data } of eventsOf(answer)) {
        if (id !== null) last = id;
        tell({ event, data });
        if (event === 'end') return;
      }
    } catch (error) {
      if (isOver()) return;
      // The crawl is gone, or is not ours: nothing will come.
      if (error instanceof Refusal && error.status >= 400 && error.status < 429) return;
    }
    await new Promise((go) => setTimeout(go, againMs));
  }
}

/** The events of a stream (HTML standard, section 9.2.6), as this API writes them: data on one line. */
async function* eventsOf(
  answer: Response,
): AsyncGenerator<{ id: string | null; event: string; data: CrawlEvent | Record<string, unknown> }> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block.split('\n').map((line): [string, string] => {
            const colon = line.indexOf(': ');
            return [line.slice(0, colon), line.slice(colon + 2)];
          }),
        );
        const [event, data] = [fields.get('event'), fields.get('data')];
        if (event === undefined || data === undefined) continue;
        yield { id: fields.get('id') ?? null, event, data: JSON.parse(data) as Record<string, unknown> };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
