/** Holds a browser until it is killed: `node holder.ts SCRATCH` writes the pid of the browser. */
import { chmodSync } from 'node:fs';
import { findBrowser } from '../../browser/find.ts';
import { BrowserRenderer } from '../../browser/renderer.ts';

const [, , scratch = ''] = process.argv;
chmodSync(scratch, 0o711);
const search = findBrowser(null, process.env);
if (!('program' in search)) throw new Error(search.none);
const renderer = new BrowserRenderer({ program: search.program, scratch, log: () => undefined });
process.stdout.write(`${String((await renderer.start()).pid)}\n`);
setInterval(() => undefined, 60_000);
