/**
 * The S3 server of the tests: Versity's gateway on a folder, built once from its Go module into the cache. Building takes
 * minutes, so tests that need it are skipped by name where `npm run test-programs` was never run.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { goInstall } from '../../stack/go-install.ts';

const version = '1.8.0';
const cache = path.join(homedir(), '.cache', 'orbweaver');
const kept = path.join(cache, `versitygw-${version}`);
const program = path.join(kept, 'versitygw');

/** Null: it was not built here. */
export const s3Program = (): string | null => (existsSync(program) ? program : null);

/** Needs Go. */
export async function buildS3Program(onProgress: (message: string) => void): Promise<string> {
  if (existsSync(program)) return program;
  mkdirSync(kept, { recursive: true });
  const draft = mkdtempSync(path.join(cache, 'versitygw-draft-'));
  try {
    await goInstall({
      ...{ what: `the S3 server of the tests (versitygw ${version})`, log: `${kept}-build.log` },
      packages: [`github.com/versity/versitygw/cmd/versitygw@v${version}`],
      ...{ folder: draft, onProgress },
    });
    renameSync(path.join(draft, 'versitygw'), program);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}
