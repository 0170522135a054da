/** `dead-letters`: the URLs that a crawl gave up, and why. */
import { deadLetterList, type DeadLetterView } from '../../contracts/dead-letters.ts';
import { hostOrigin } from '../../contracts/hosts.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { deadLetterClasses, isDeadLetterClass, type DeadLetterClass } from '../../domain/dead-letter.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from './crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, writeList, type Shown } from '../output/table.ts';

/** The options as they were given on the command line. */
export interface LetterOptions extends VerbOptions {
  readonly class?: string;
  readonly host?: string;
}

const shown: Shown<DeadLetterView> = {
  heads: ['failed at', 'class', 'url', 'why'],
  row: (letter) => [moment(letter.failedAt), letter.class, letter.url, whyOf(letter)],
  none: 'There are no dead letters.',
};

/** With `--json` the whole evidence. */
export async function deadLetters(id: string, options: LetterOptions): Promise<ExitCode> {
  const { json = false } = options;
  const { letterClass, origin } = readLetterOptions(options);
  const query = { limit: 1_000, class: letterClass ?? undefined, host: origin ?? undefined };
  const item = deadLetterList.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list(`/v1/crawls/${id}/dead-letters`, item, query), json, shown),
  );
  return exitCodes.ok;
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

const whyOf = ({ message, attemptedAt, hostParked, notBefore }: DeadLetterView): string =>
  [
    message,
    ...(attemptedAt.length === 0 ? [] : [`tried before at ${attemptedAt.join(', ')}`]),
    ...(hostParked ? ['its host is parked'] : []),
    ...(notBefore === null ? [] : [`not tried again before ${notBefore}`]),
  ].join('; ');
