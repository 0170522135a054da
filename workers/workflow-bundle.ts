/**
 * The workflow code as one script, bundled once: by `npm run build` next to the compiled worker, else in the cache
 * folder under a hash of everything that goes into it. Bundling anew takes seconds and 200 MB, reading it does not.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Beside the compiled sources: written by `npm run build`. */
const builtBundle = join(root, 'workflow-bundle.js');

/** @param cacheDir where a bundle made here is kept. Answers the path of the script. */
export async function workflowBundle(cacheDir: string): Promise<string> {
  if (existsSync(builtBundle)) return builtBundle;
  const file = join(cacheDir, 'workflows', `${sourcesHash()}.js`);
  if (existsSync(file)) return file;
  // In a process of its own: what bundling takes in memory is given back when it ends.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'write-bundle.ts'), file]);
  return file;
}

export async function writeBundle(file: string, logger: Logger): Promise<void> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', `index.${extension}`),
    logger,
  });
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${String(process.pid)}.tmp`;
  await writeFile(temporary, code);
  await rename(temporary, file);
}

/** Of all that a bundle is made of: the rooms workflows may import, and the versions of the packages. */
function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const room of ['workflows', 'contracts', 'domain']) {
    const entries = readdirSync(join(root, room), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of files.sort()) {
      hash.update(`${relative(root, path)}\0`).update(readFileSync(path));
    }
  }
  hash.update(readFileSync(join(root, 'package-lock.json')));
  return hash.digest('hex').slice(0, 32);
}
