/** Temporal's own server, and the tool that makes its schemas: built once from their Go module, and kept in the cache. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { goInstall } from '../../stack/go-install.ts';

/** Later ones need a module that Go's proxy does not hand out. */
const version = '1.30.0';
const module = 'go.temporal.io/server';

export interface TemporalPrograms {
  readonly server: string;
  readonly sqlTool: string;
}

/** Takes some minutes the first time, and needs Go. */
export async function temporalPrograms(
  cacheDir: string,
  onProgress: (message: string) => void,
): Promise<TemporalPrograms> {
  const kept = path.join(cacheDir, `temporal-server-${version}`);
  if (!existsSync(kept)) {
    mkdirSync(cacheDir, { recursive: true });
    const draft = mkdtempSync(path.join(cacheDir, 'temporal-server-draft-'));
    try {
      await goInstall({
        ...{ what: `Temporal's server ${version}`, log: `${kept}-build.log` },
        packages: [`${module}/cmd/server@v${version}`, `${module}/cmd/tools/sql@v${version}`],
        ...{ folder: draft, onProgress },
      });
      const done = path.join(draft, 'done');
      mkdirSync(done);
      for (const name of ['server', 'sql']) renameSync(path.join(draft, name), path.join(done, name));
      renameSync(done, kept);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { server: path.join(kept, 'server'), sqlTool: path.join(kept, 'sql') };
}
