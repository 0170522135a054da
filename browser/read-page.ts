/** What a round has come to: the DOM, the console, pictures. */
import type { PageToRender, Round } from '../contracts/rendering.ts';
import { renderLimits } from '../domain/rendering/limits.ts';
import { unlessOver } from './devtools.ts';
import type { Session } from './devtools.ts';
import type { Browser } from './launch.ts';
import { maxConsoleLines, readConsole } from './page-script.ts';
import { pictureOf, printOf } from './picture.ts';
import { snapshot } from './snapshot.ts';

/** Milliseconds by the clock: since when, and how many there are. */
export interface Clock {
  readonly began: number;
  readonly wallMs: number;
}

type Read = Pick<Round, 'dom' | 'leftOut' | 'console' | 'picture' | 'pdf'>;
export const nothingRead: Read = { dom: new Uint8Array(), leftOut: 0, console: [] };

/**
 * What is there, within as much time as the page has had; null: the page does not let itself be read.
 * @param crashed resolves if it ends meanwhile
 */
export async function readPage(
  browser: Browser,
  session: Session,
  page: PageToRender,
  outcome: 'settled' | 'cut',
  crashed: Promise<null>,
  { wallMs }: Clock,
): Promise<Read | null> {
  const read = async (): Promise<Read> => {
    if (outcome === 'cut') {
      // Timers stand still, and the script that runs now ends where it is.
      await Promise.all([
        session.send('Emulation.setScriptExecutionDisabled', { value: true }),
        session.send('Runtime.terminateExecution'),
        session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
      ]);
    }
    const lines = await session.send('Runtime.evaluate', { expression: readConsole, returnByValue: true });
    // Pictures first: the reading of frames adds their text to the page.
    const isWhole = page.isWhole?.() ?? true;
    const picture =
      isWhole && page.picture !== undefined ? await pictureOf(browser, session, page.picture) : undefined;
    const pdf = isWhole && page.pdf === true ? await printOf(session) : undefined;
    const { domBytes } = renderLimits;
    // One character more shows that there is more.
    const { text, frames } = await snapshot(session, page.url, domBytes + 1);
    const bytes = Buffer.from(text, 'utf8');
    return {
      dom: bounded(bytes, domBytes),
      leftOut: frames + Number(bytes.length > domBytes),
      console: linesOf(lines.result.value),
      ...(picture !== undefined && { picture }),
      ...(pdf !== undefined && { pdf }),
    };
  };
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), wallMs);
  return Promise.race([read(), late, crashed])
    .catch((error: unknown) => {
      unlessOver(error);
      return null;
    })
    .finally(() => clearTimeout(timer));
}

/** At most so many bytes, and no part of a character. */
function bounded(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

const linesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.slice(0, maxConsoleLines).map((line) => String(line).slice(0, 300)) : [];
