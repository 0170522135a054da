/** What a running stack writes of itself, for programs that look for one. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { writeStackInfo, type StackInfo } from '../../stack/info.ts';
import { ownId } from '../../stack/processes.ts';

/** This process seems to run a stack on the folder. */
export function seemToRun(dataDir: string, told: Partial<StackInfo> = {}): void {
  mkdirSync(path.join(dataDir, 'run'), { recursive: true });
  writeStackInfo({
    owner: 'up',
    dataDir,
    launcher: ownId(),
    startedAt: new Date().toISOString(),
    postgresUrl: '',
    temporalAddress: '',
    temporalNamespace: '',
    temporalUiUrl: null,
    redisUrl: null,
    apiUrl: null,
    hasTemporal: true,
    hasWorkers: true,
    ...told,
  });
}
