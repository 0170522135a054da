/** Reads server-sent events (HTML standard, section 9.2.6) from the bytes of an answer. */

export interface ServerSentEvent {
  /** The id of this event itself; null: it has none. */
  readonly id: string | null;
  readonly kind: string;
  readonly data: string;
}

/** Leaves out comments, and an event that was cut off. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | null = null;
  let kind = 'message';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A line feed may still follow a carriage return at the very end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, kind, data: data.join('\n') };
        [id, kind, data] = [null, 'message', []];
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'id') id = value;
      else if (field === 'event') kind = value;
      else if (field === 'data') data.push(value);
    }
  }
}
