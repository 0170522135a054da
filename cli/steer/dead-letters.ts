/** `dead-letters`: the URLs that a crawl gave up, and why. `redrive`: queues them again. */
import { deadLetterList, redriveAnswer, type RedriveAnswer } from '../../contracts/dead-letters.ts';
import { grouped } from '../../domain/counted.ts';
import { deadLetterClasses, isDeadLetterClass, type DeadLetterClass } from '../../domain/dead-letter.ts';
import { crawlableUrl, oneCrawl } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { readOrigin } from '../hosts/origin.ts';
import { moment } from '../output/table.ts';
import { asks } from '../verb.ts';

function readClass(text: string): DeadLetterClass {
  if (isDeadLetterClass(text)) return text;
  throw new CommandError(`There is no class ${text}; the classes are ${deadLetterClasses.join(', ')}.`);
}

const readHost = readOrigin('--host ');

export const verbs = [
  asks({
    words: 'dead-letters',
    takes: {
      ...oneCrawl,
      '--class <class>': {
        about: 'only dead letters of this class, such as timeout or client-error',
        read: readClass,
      },
      '--host <origin>': {
        about: 'only dead letters of this host, such as https://example.com',
        read: readHost,
      },
      '--json': 'as JSON, one object a line',
    },
    examples: ['3', '3 --class forbidden --json'],
    route: 'GET /v1/crawls/{id}/dead-letters',
    query: (given) => ({ class: given.class, host: given.host }),
    answer: deadLetterList.shape.items.element,
    print: {
      heads: ['failed at', 'class', 'url', 'why'],
      row: ({ failedAt, class: letterClass, url, message, attemptedAt, hostParked, notBefore }) => [
        moment(failedAt),
        letterClass,
        url,
        [
          message,
          ...(attemptedAt.length === 0 ? [] : [`tried before at ${attemptedAt.join(', ')}`]),
          ...(hostParked ? ['its host is parked'] : []),
          ...(notBefore === null ? [] : [`not tried again before ${notBefore}`]),
        ].join('; '),
      ],
      none: 'There are no dead letters.',
    },
  }),
  asks({
    words: 'redrive',
    takes: {
      ...oneCrawl,
      '--url <url>': { about: 'only the dead letter of this URL, in any spelling', read: crawlableUrl },
      '--class <class>': { about: 'only dead letters of this class', read: readClass },
      '--host <origin>': {
        about:
          'only dead letters of this host; if no other option is given, the host is tried again if it is parked',
        read: readHost,
      },
      '--json': 'as JSON',
    },
    examples: ['3', '3 --class server-error', '3 --host https://example.com'],
    notes: 'A URL that the server refused (401, 403) is not requested again within seven days.',
    needs: 'all',
    route: 'POST /v1/crawls/{id}/dead-letters/redrive',
    body: ({ url, host, ...given }) => ({ url, class: given.class, host }),
    answer: redriveAnswer,
    print: redriveLines,
  }),
];

function redriveLines(answer: RedriveAnswer): string[] {
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
