/** `npm run test-programs`: installs what some tests need and no user does, where it is not there. */
import { installExportReaders } from './exports.ts';
import { buildS3Program } from './s3-server.ts';
import { installWarcio } from './warcio.ts';

const say = (message: string): void => void process.stderr.write(`${message}\n`);
for (const install of [() => buildS3Program(say), () => installWarcio(), () => installExportReaders()]) {
  try {
    say(await install());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
