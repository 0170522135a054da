/** `npm run test-programs`: installs what some tests need and no user does, where it is not there. */
import { installExportReaders } from './exports.ts';
import { installOpenSearch } from './opensearch.ts';
import { buildS3Program } from './s3-server.ts';
import { installWarcio } from './warcio.ts';
import { installWebPrograms } from './web-programs.ts';

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const installs = [
  () => buildS3Program(say),
  () => installWarcio(),
  () => installExportReaders(),
  () => installWebPrograms(),
  () => installOpenSearch(),
];
for (const install of installs) {
  try {
    say(await install());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
