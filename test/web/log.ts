/** The web's own log: what it saw, by its own clock, whatever the crawler says. */

export interface RequestRecord {
  /** Authority the request came in at. */
  readonly host: string;
  /** Absolute URL as requested. */
  readonly url: string;
  /** Monotonic milliseconds when the head of the request had been read. */
  readonly start: number;
  /** When the response was finished or the connection closed; null while in flight. */
  end: number | null;
  /** Of the response; 0 when none was sent. */
  status: number;
  readonly userAgent: string | null;
  /** Milliseconds of Retry-After the answer asked for. */
  retryAfterMs?: number;
}

/** One record a line; empty lines are left out. */
export function parseLog(text: string): RequestRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestRecord);
}

export const formatLog = (records: readonly RequestRecord[]): string =>
  records.map((record) => JSON.stringify(record) + '\n').join('');
