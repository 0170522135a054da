/**
 * Becomes a worker whose wall clock can be set from outside: by libfaketime, where its variables name it, from a file
 * of its own. The monotonic clock is left alone, as at a machine whose time is set by hand or by NTP.
 */
import { copyFileSync } from 'node:fs';
import { entryScript } from '../../config/package.ts';
import { clockFile, clockVariables } from './wall-clock.ts';

const { folder, library } = clockVariables();
const args = [process.execPath, ...process.execArgv, entryScript('workers/main')];
if (folder === null || library === null) {
  process.execve?.(process.execPath, args, { ...process.env });
} else {
  // The process keeps its pid, by which its clock is found.
  const file = clockFile(folder, process.pid);
  copyFileSync(clockFile(folder, 'start'), file);
  process.execve?.(process.execPath, args, {
    ...process.env,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
    NO_FAKE_STAT: '1',
  });
}
