/** Folders for one measurement. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder that other users may pass through: run as root, the embedded Postgres works as a user of its own and has
 * to reach its data below.
 */
export function scratch(name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `orbweaver-${name}-`));
  chmodSync(folder, 0o711);
  return folder;
}
