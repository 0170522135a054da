/** A supervisor (launcher.ts) that is started again a moment after it ends, as a service manager would do it. */
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findRunningStack, type StackInfo } from '../../stack/info.ts';
import { endProcess, type ProcessId } from '../../stack/processes.ts';
import { spawnTethered, type Tethered } from '../../stack/tether.ts';
import { until } from '../support/until.ts';

export type Group = 'services' | 'crawler';

const script = path.join(import.meta.dirname, 'launcher.ts');
/** After so many in vain the first start is given up. */
const mostFirstStarts = 3;

/** The environment but for our settings, which this bed gives itself, and what a test runner adds. */
const foreign = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(ORBWEAVER_|NODE_OPTIONS$|VITEST)/.test(entry[0]),
    ),
  );

export class KeptLauncher {
  readonly dataDir: string;
  readonly #group: Group;
  readonly #env: () => Record<string, string>;
  readonly #log: string;
  #current: Tethered | null = null;
  #closing = false;
  #loop: Promise<void> = Promise.resolve();
  starts = 0;

  constructor(group: Group, folder: string, env: () => Record<string, string>) {
    this.#group = group;
    this.dataDir = path.join(folder, group);
    this.#log = path.join(folder, `${group}.log`);
    this.#env = env;
    mkdirSync(this.dataDir, { recursive: true, mode: 0o711 });
  }

  start(): void {
    this.#loop = this.#keep();
  }

  async #keep(): Promise<void> {
    while (!this.#closing) {
      const output = openSync(this.#log, 'a');
      this.#current = await spawnTethered({
        command: process.execPath,
        args: [script, this.#group],
        env: { ...foreign(), ...this.#env(), ORBWEAVER_DATA: this.dataDir },
        cwd: this.dataDir,
        stopSignal: 'SIGTERM',
        orphanGraceSeconds: 40,
        output,
      });
      closeSync(output);
      this.starts++;
      await this.#current.exited;
      this.#current = null;
      if (!this.#isClosing()) await delay(300);
    }
  }

  #isClosing(): boolean {
    return this.#closing;
  }

  get id(): ProcessId | null {
    return this.#current?.id ?? null;
  }

  /** @throws where it does not come up by itself at all, with what it said */
  async firstUp(ms: number): Promise<void> {
    await until(
      `the ${this.#group} are up`,
      () => {
        if (this.starts > mostFirstStarts) throw new Error(readFileSync(this.#log, 'utf8').slice(-2_000));
        return this.info;
      },
      ms,
    );
  }

  /** Null until the set that runs now is complete. */
  get info(): StackInfo | null {
    const info = findRunningStack(this.dataDir);
    return info !== null && info.launcher.pid === this.id?.pid ? info : null;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#current !== null) await endProcess(this.#current.id, 'SIGTERM', 60_000);
    await this.#loop;
  }
}
