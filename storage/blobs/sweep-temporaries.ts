/**
 * Blobs are written under a temporary name first, and a process that is killed meanwhile leaves that file behind. To
 * write a blob takes seconds at most, so nobody writes to a file that is older than an hour.
 */
import { opendir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const abandonedMs = 3_600_000;

/**
 * Removes abandoned temporary files from a blob folder; answers how many. Skips files that another sweeper removes
 * meanwhile. @throws the file system's error if the folder cannot be read
 */
export async function sweepTemporaries(folder: string, signal: AbortSignal): Promise<number> {
  let removed = 0;
  const sweep = async (place: string, deeper: boolean): Promise<void> => {
    for await (const entry of await opendir(place)) {
      if (signal.aborted) return;
      const path = join(place, entry.name);
      if (entry.isDirectory() && deeper) await sweep(path, false);
      else if (entry.name.endsWith('.tmp') && (await removeIfAbandoned(path))) removed++;
    }
  };
  await sweep(folder, true);
  return removed;
}

async function removeIfAbandoned(file: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs < abandonedMs) return false;
    await unlink(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
