/**
 * Short messages between the processes of an instance, by LISTEN and NOTIFY. They may be lost: while the line to Postgres
 * is away, and behind a pooler that gives each transaction another connection. So they only ever make something happen
 * sooner.
 */
import pg from 'pg';
import { statement } from './statement.ts';

const channel = 'orbweaver_bells';
/** Milliseconds between two attempts to listen. */
const againMs = 2_000;

/** @param text less than 8,000 bytes. A statement of its own: a commit that notifies waits for all others that do. */
export const notify = statement<[text: string]>('notify')`select pg_notify('${channel}', $1)`;

/** Calls `hear` with each message, whoever sent it. @returns ends it */
export function listen(
  url: string,
  hear: (text: string) => void,
  onLost: (error: Error) => void,
): () => void {
  let [ended, timer] = [false, undefined as NodeJS.Timeout | undefined];
  let client: pg.Client;
  const open = (): void => {
    client = new pg.Client({
      connectionString: url,
      application_name: 'orbweaver',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const mine = client;
    let lost = false;
    const lose = (error: Error): void => {
      if (lost || ended) return;
      lost = true;
      onLost(error);
      mine.end().catch(() => undefined);
      timer = setTimeout(open, againMs);
    };
    mine.on('error', lose);
    mine.on('end', () => {
      lose(new Error('the connection that listens has ended'));
    });
    mine.on('notification', ({ payload }) => {
      hear(payload ?? '');
    });
    mine
      .connect()
      .then(() => mine.query(`listen ${channel}`))
      .catch(lose);
  };
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    client.end().catch(() => undefined);
  };
}
