/** A process that settles a segment, to be killed in the middle. */
import { openSegments } from '../../storage/archive/index.ts';

const [folder = '', bucket = '', name = '', length = ''] = process.argv.slice(2);
const place = JSON.parse(bucket) as Parameters<typeof openSegments>[1];
await (await openSegments(folder, place)).settle(name, Number(length), () => Promise.resolve(true));
