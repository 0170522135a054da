/**
 * The log of a process: JSON lines on standard output. A full disk may refuse them. The process goes on then: lines are
 * dropped, and once there is room again the next line is preceded by one that counts them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { pino, type Level, type Logger } from 'pino';
import type { LogIds } from './log-ids.ts';

const standardOutput = 1;

const about = new AsyncLocalStorage<LogIds>();

/** Every line that `work` logs, however deep, has these ids too, unless it brings its own. */
export const logAbout = <T>(ids: LogIds, work: () => T): T => about.run(ids, work);

/**
 * SIGUSR2 changes its level, and changes it back.
 * @param redact paths of fields that hold secrets, as pino takes them
 */
export function openProcessLog(name: string, level: string, redact: readonly string[] = []): Logger {
  const log = logOn(droppingOutput(standardOutput, name), name, level, redact);
  process.on('SIGUSR2', () => {
    toggleLevel(log, level);
  });
  return log;
}

export const logOn = (
  output: { write(line: string): void },
  name: string,
  level: string,
  redact: readonly string[] = [],
): Logger => pino({ name, level, redact: [...redact], mixin: () => ({ ...about.getStore() }) }, output);

/** From the level of the settings to `debug`, or to `info` if the settings say `debug` or more; and back. */
export function toggleLevel(log: Logger, usual: string): void {
  const other = usual === 'debug' || usual === 'trace' ? 'info' : 'debug';
  log.level = log.level === usual ? other : usual;
  // At the level itself, so that no level leaves the line out.
  log[log.level as Level]({ logLevel: log.level }, 'the level of this log was changed');
}

/** Writes whole lines to a descriptor, and never throws. */
export function droppingOutput(descriptor: number, name: string): { write(line: string): void } {
  let dropped = 0;
  /** The end of the line before could not be written. */
  let torn = false;
  const put = (text: string): boolean => {
    const bytes = Buffer.from(torn ? `\n${text}` : text);
    try {
      for (let at = 0; at < bytes.length; torn = at < bytes.length) at += writeSync(descriptor, bytes, at);
      return true;
    } catch {
      return false;
    }
  };
  return {
    write: (line) => {
      if (dropped > 0) {
        const msg = `${String(dropped)} lines of this log could not be written`;
        const told = { level: 40, time: Date.now(), pid: process.pid, name, dropped, msg };
        if (!put(`${JSON.stringify(told)}\n`)) {
          dropped++;
          return;
        }
        dropped = 0;
      }
      if (!put(line)) dropped = 1;
    },
  };
}
