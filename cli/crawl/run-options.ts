/** Options of the verbs that stay with a crawl. */
import { secondsOrNever } from '../arguments.ts';

export const outOption =
  'write the pages to this file at the end, one JSON object per line; with - the pages go to standard output as they come, and all messages to standard error';
export const jsonOption =
  'show no progress; the last line is one JSON object, also when the crawl failed or was interrupted';
export const giveUpOption = {
  about:
    'end with exit code 4 when no page has come for this many seconds and only hosts that must wait are left; orbweaver resume goes on later; never: wait for all hosts (default: 600)',
  read: secondsOrNever,
} as const;
export const keepOption = 'leave the stack running at the end';
