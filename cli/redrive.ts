/** `redrive`: has dead letters of a crawl queued again, by the API of the stack that runs. */
import { loadConfig } from '../config/config.ts';
import type { RedriveAnswer } from '../contracts/dead-letters.ts';
import { rejectionSentence } from '../storage/seeds.ts';
import { canonicalize } from '../domain/url.ts';
import { findRunningStack } from '../stack/info.ts';
import { createApiClient } from './api-client.ts';
import { readLetterOptions, type LetterOptions } from './dead-letters.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { readLocalKey } from './local-key.ts';
import { grouped } from './words.ts';

export interface RedriveOptions extends LetterOptions {
  readonly url?: string;
}

export async function redrive(id: string, options: RedriveOptions, json: boolean): Promise<ExitCode> {
  const { letterClass, origin } = readLetterOptions(options);
  const { url } = options;
  const link = url === undefined ? null : canonicalize(url);
  if (link?.ok === false)
    throw new CommandError(
      `No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(link.rejected)}.`,
    );
  const { dataDir } = loadConfig();
  const apiUrl = findRunningStack(dataDir)?.apiUrl ?? null;
  if (apiUrl === null)
    throw new CommandError('No stack is running that could fetch them; orbweaver up starts one.');
  const answer = await createApiClient(apiUrl, readLocalKey(dataDir)).redrive(id, {
    ...(url !== undefined && { url }),
    ...(letterClass !== null && { class: letterClass }),
    ...(origin !== null && { host: origin }),
  });
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${redriveLines(answer).join('\n')}\n`);
  return exitCodes.ok;
}

export function redriveLines(answer: RedriveAnswer): string[] {
  const { done, queued, waitingAtParkedHosts: parked, resting, notBefore, unparked } = answer;
  const letters = (count: number): string =>
    count === 1 ? '1 dead letter is' : `${grouped(count)} dead letters are`;
  return [
    `${letters(queued)} queued again${done ? '' : ' so far; it goes on by itself'}.`,
    ...(unparked ? ['The host is no longer parked.'] : []),
    ...(parked === 0
      ? []
      : [
          `${grouped(parked)} of them wait at hosts that are parked; redrive --host with nothing else tries a host.`,
        ]),
    ...(resting === 0
      ? []
      : [
          `${letters(resting)} left alone, since the server refused them less than seven days ago; the first may go at ${notBefore ?? '?'}.`,
        ]),
  ];
}
