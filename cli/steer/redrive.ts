/** `redrive`: queues dead letters of a crawl again, by the API of the running stack. */
import { redriveAnswer, type RedriveAnswer } from '../../contracts/dead-letters.ts';
import { rejectionSentence } from '../../domain/seeds.ts';
import { canonicalize } from '../../domain/url.ts';
import { anyApi } from '../api/target.ts';
import { readLetterOptions, type LetterOptions } from './dead-letters.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { grouped } from '../../domain/counted.ts';

export interface RedriveOptions extends LetterOptions {
  readonly url?: string;
}

export async function redrive(id: string, options: RedriveOptions): Promise<ExitCode> {
  const { letterClass, origin } = readLetterOptions(options);
  const { url, json = false } = options;
  const link = url === undefined ? null : canonicalize(url);
  if (link?.ok === false)
    throw new CommandError(
      `No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(link.rejected)}.`,
    );
  const api = await anyApi(options);
  const body = {
    ...(url !== undefined && { url }),
    ...(letterClass !== null && { class: letterClass }),
    ...(origin !== null && { host: origin }),
  };
  const answer = await api.change('POST', `/v1/crawls/${id}/dead-letters/redrive`, redriveAnswer, { body });
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${redriveLines(answer).join('\n')}\n`);
  return exitCodes.ok;
}

export function redriveLines(answer: RedriveAnswer): string[] {
  const { done, queued, waitingAtParkedHosts: parked, resting, notBefore, unparked } = answer;
  const letters = (count: number): string =>
    count === 1 ? '1 dead letter is' : `${grouped(count)} dead letters are`;
  return [
    `${letters(queued)} queued again${done ? '' : ' so far; the rest follows without further commands'}.`,
    ...(unparked ? ['The host is no longer parked.'] : []),
    ...(parked === 0
      ? []
      : [
          `${grouped(parked)} of them wait at parked hosts; redrive --host ORIGIN, without other options, tries such a host again.`,
        ]),
    ...(resting === 0
      ? []
      : [
          `${letters(resting)} left alone, since the server refused them less than seven days ago; the first can be queued again at ${notBefore ?? '?'}.`,
        ]),
  ];
}
