/**
 * The log of a process: JSON lines on standard output. A full disk may refuse them. The process goes on then: lines are
 * dropped, and once there is room again the next line is preceded by one that counts them.
 */
import { writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';

const standardOutput = 1;

/** @param redact paths of fields that hold secrets, as pino takes them */
export function openProcessLog(name: string, level: string, redact: readonly string[] = []): Logger {
  return pino({ name, level, redact: [...redact] }, droppingOutput(standardOutput, name));
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
