/** `doctor`: looks at everything that Orbweaver stands on, and says what is wrong and what to do. Changes nothing. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadConfig, type Config } from '../../config/config.ts';
import { startStack } from '../../stack/embedded.ts';
import { findRunningStack } from '../../stack/info.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { sayPlainly } from '../output/lines.ts';
import { printable, writeLines } from '../output/table.ts';
import { lookAtDatabase } from '../stack/prepare-database.ts';
import { does } from '../verb.ts';
import { may, must, type Check, type Found, type Place, type Services } from './check.ts';
import { folderChecks } from './folder.ts';
import { machineChecks } from './machine.ts';
import { serviceChecks } from './services.ts';
import { settingsChecks } from './settings.ts';

export const verbs = [
  does({
    words: 'doctor',
    here: true,
    takes: {
      '--quick': 'start nothing: without a running stack, leave out what Postgres and Temporal would tell',
      '--json': 'as JSON lines',
    },
    examples: ['', '--quick --json'],
    run: ({ quick, json }) => doctor(quick, json),
  }),
];

interface Line {
  readonly check: string;
  /** `note`: Orbweaver works as it is. */
  readonly state: 'fine' | 'note' | 'wrong';
  readonly says: string;
  readonly cure: string | null;
}

async function doctor(quick: boolean, json: boolean): Promise<ExitCode> {
  let isWell = true;
  const tell = (check: string, found: Found): void => {
    const lines: Line[] =
      typeof found === 'string'
        ? [{ check, state: 'fine', says: found, cure: null }]
        : found.map(({ says, cure, must: isBad }) => ({
            check,
            state: isBad ? 'wrong' : 'note',
            says,
            cure,
          }));
    isWell &&= lines.every(({ state }) => state !== 'wrong');
    writeLines(lines.map((line) => (json ? JSON.stringify(line) : printable(shown(line)))));
  };
  const look = async <P extends Place>(checks: readonly Check<P>[], place: P): Promise<void> => {
    for (const check of checks) tell(check.name, await found(() => check.look(place)));
  };
  const ending = (): ExitCode => (isWell ? exitCodes.ok : exitCodes.failed);

  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    tell('settings', [must(messageOf(error), 'Correct it: no part starts with these settings.')]);
    return ending();
  }
  const place: Place = { config, running: findRunningStack(config.dataDir) };
  await look([...settingsChecks, ...machineChecks, ...folderChecks], place);
  const served = async (services: Services): Promise<void> => {
    const database = await lookAtDatabase(services.postgresUrl).catch((error: unknown) => {
      throw new Error(`Postgres cannot be reached: ${messageOf(error)}`);
    });
    await look(serviceChecks, { ...place, services, database });
  };
  tell('services', await found(() => withServices(place, quick, served)));
  return ending();
}

const shown = ({ check, state, says, cure }: Line): string =>
  `${state.padEnd(5)}  ${check}: ${says}${cure === null ? '' : ` ${cure}`}`;

const found = async (look: () => Found | Promise<Found>): Promise<Found> => {
  try {
    return await look();
  } catch (error) {
    return [must(messageOf(error), 'Repair that first.')];
  }
};

/** One sentence. Several addresses that refuse are an error without a message. */
function messageOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  return `${(message === '' ? code : message).replace(/\.$/, '')}.`;
}

/** Gives `work` the services of the stack that runs, those that the settings name, or embedded ones for the moment. */
async function withServices(
  { config, running }: Place,
  quick: boolean,
  work: (services: Services) => Promise<void>,
): Promise<Found> {
  const { databaseUrl, temporalAddress, temporalNamespace, dataDir } = config;
  if (running !== null) {
    if (!running.hasTemporal)
      return [may('Another command runs a stack for itself that has no Temporal.', 'Look again once it has ended.')]; // prettier-ignore
    await work(running);
    return 'those of the stack that runs';
  }
  if (databaseUrl !== null && temporalAddress !== null) {
    await work({ postgresUrl: databaseUrl, temporalAddress, temporalNamespace });
    return 'those that the settings name';
  }
  if (databaseUrl === null && !existsSync(path.join(dataDir, 'postgres'))) return 'nothing is stored yet';
  if (quick) return 'not started, and not looked at (--quick)';
  sayPlainly('Starting Postgres and Temporal for the moment …');
  // No schema is brought up to date: this is to say what would be.
  const migrate = (): Promise<void> => Promise.resolve();
  const stack = await startStack({ config, owner: 'crawl', migrate, workers: [], api: false });
  try {
    await work(stack);
  } finally {
    await stack.stop();
  }
  return 'started for the moment, and stopped again';
}
