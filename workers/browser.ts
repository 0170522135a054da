/** The browser of a process that renders pages. */
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import type { Logger } from 'pino';
import { findBrowser } from '../browser/find.ts';
import { BrowserRenderer } from '../browser/renderer.ts';
import type { ServiceConfig } from '../config/config.ts';
import { programEnvironment } from '../config/environment.ts';

/**
 * Null: there is none, or it does not start, and the process must not say that it renders pages: they would wait for it. A
 * browser is started to see that, and the one that serves with the first page.
 */
export async function openBrowser(
  { browser }: Pick<ServiceConfig, 'browser'>,
  log: Logger,
): Promise<BrowserRenderer | null> {
  const search = findBrowser(browser, programEnvironment());
  if ('none' in search) {
    log.warn(`no page is rendered: ${search.none}`);
    return null;
  }
  const { program } = search;
  // Its user is another one, who may enter this folder; few others of ours are open to everybody.
  const open = () => new BrowserRenderer({ program, scratch: tmpdir(), log: (about) => log.info(about) });
  const trial = open();
  const isStarted = await trial.start().then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, 'no page is rendered: the browser does not start');
      return false;
    },
  );
  await trial.close();
  return isStarted ? open() : null;
}

/** The browser takes five more off its own priority: then a busy core is an eleventh as much its own as another's. */
const priority = 5;
/** Linux shares out the processor among sessions first, where it does that, and each part of a stack has its own. */
const ofSession = '/proc/self/autogroup';

/** A process that does nothing but render gets, with its browser, what others leave. */
export function giveWay(log: Logger): void {
  setPriority(priority);
  if (!existsSync(ofSession)) return;
  try {
    writeFileSync(ofSession, String(2 * priority));
  } catch (error) {
    log.debug({ err: error }, 'this process cannot give way to other sessions');
  }
}
