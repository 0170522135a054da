/** `npm run s3-server`: builds the S3 server of the tests if it is not there, and prints where it is. */
import { buildS3Program } from './program.ts';

const program = await buildS3Program((message) => {
  process.stderr.write(`${message}\n`);
});
process.stdout.write(`${program}\n`);
