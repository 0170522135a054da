/**
 * The workflow code as one script, bundled once: by `npm run build` next to the compiled worker, otherwise in the cache
 * folder under a hash of everything that goes into it. Bundling takes seconds and 200 MB; reading the bundle does not.
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
  // In a process of its own: the memory that bundling takes is given back when that process ends.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'write-bundle.ts'), file]);
  return file;
}

export async function writeBundle(file: string, logger: Logger): Promise<void> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const [workflowsPath, traceHeaders] = ['index', 'trace-headers'].map((name) =>
    join(root, 'workflows', `${name}.${extension}`),
  ) as [string, string];
  // All workflows of a thread share the modules, instead of a copy of all code for each: none has state of its own.
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [traceHeaders],
    preloadModules: [workflowsPath, traceHeaders],
    logger,
  });
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${String(process.pid)}.tmp`;
  await writeFile(temporary, code);
  await rename(temporary, file);
}

/**
 * A hash of everything that goes into a bundle: the rooms that workflows may import, and the versions of the packages.
 */
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
  for (const path of [join(root, 'package-lock.json'), import.meta.filename]) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 32);
}
