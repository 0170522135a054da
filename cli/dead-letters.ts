/** `dead-letters`: the URLs that a crawl gave up, and why. */
import { loadConfig } from '../config/config.ts';
import { deadLetterList, type DeadLetterView } from '../contracts/dead-letters.ts';
import { hostOrigin } from '../contracts/hosts.ts';
import { inWords } from '../contracts/http/wording.ts';
import { deadLetterClasses, isDeadLetterClass, type DeadLetterClass } from '../domain/dead-letter.ts';
import { findCrawl } from '../storage/crawls/index.ts';
import { allDeadLetters } from '../storage/letters/index.ts';
import { hostIds } from '../storage/hosts/index.ts';
import { namedApi } from './api-target.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { writeJsonLines } from './lines.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';

/** As given on the command line. */
export interface LetterOptions extends VerbOptions {
  readonly class?: string;
  readonly host?: string;
}

/** One line each, or JSON lines with the whole evidence. */
export async function deadLetters(id: string, options: LetterOptions): Promise<ExitCode> {
  const { json = false } = options;
  const { letterClass, origin } = readLetterOptions(options);
  const api = await namedApi(options);
  if (api !== null) {
    const query = { limit: 1_000, class: letterClass ?? undefined, host: origin ?? undefined };
    await writeLetters(
      api.list(`/v1/crawls/${id}/dead-letters`, deadLetterList.shape.items.element, query),
      json,
    );
    return exitCodes.ok;
  }
  await withDatabase(loadConfig(), async (pool) => {
    if ((await findCrawl(pool, id)) === null) throw noSuchCrawl(id);
    const [host] = origin === null ? [] : await hostIds(pool, [origin]);
    const unmet = origin !== null && host === undefined;
    const hostId = host === undefined ? null : String(host.id);
    const letters = unmet
      ? none()
      : allDeadLetters(pool, { crawlId: id, hostId, class: letterClass, key: null });
    await writeLetters(letters, json);
  });
  return exitCodes.ok;
}

async function writeLetters(letters: AsyncIterable<DeadLetterView>, json: boolean): Promise<void> {
  if (json) {
    await writeJsonLines(letters);
    return;
  }
  let count = 0;
  for await (const letter of letters) {
    count++;
    process.stdout.write(`${letterLine(letter)}\n`);
  }
  if (count === 0) process.stdout.write('There are no dead letters.\n');
}

/** @throws CommandError */
export function readLetterOptions({ class: letterClass, host }: LetterOptions): {
  readonly letterClass: DeadLetterClass | null;
  readonly origin: string | null;
} {
  if (letterClass !== undefined && !isDeadLetterClass(letterClass)) {
    throw new CommandError(
      `There is no class ${letterClass}; the classes are ${deadLetterClasses.join(', ')}.`,
    );
  }
  const origin = host === undefined ? null : hostOrigin.safeParse(host, { error: inWords });
  if (origin?.success === false) throw new CommandError(`--host ${origin.error.issues[0]?.message ?? ''}.`);
  return { letterClass: letterClass ?? null, origin: origin?.data ?? null };
}

export function letterLine(letter: DeadLetterView): string {
  const { failedAt, class: letterClass, url, message, attemptedAt, hostParked, notBefore } = letter;
  const remarks = [
    ...(attemptedAt.length === 0 ? [] : [`tried before at ${attemptedAt.join(', ')}`]),
    ...(hostParked ? ['its host is parked'] : []),
    ...(notBefore === null ? [] : [`not tried again before ${notBefore}`]),
  ];
  const line = `${failedAt}  ${letterClass}  ${url}  ${[message, ...remarks].join('; ')}`;
  // The words of servers are shown, but must not control the terminal.
  return line.replace(/[\0-\x1f\x7f-\x9f]/g, '\ufffd');
}

// eslint-disable-next-line @typescript-eslint/require-await -- a generator that has nothing to wait for
async function* none(): AsyncGenerator<DeadLetterView> {
  yield* [];
}
