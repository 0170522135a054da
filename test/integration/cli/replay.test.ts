/**
 * `replay --save` and `replay FILE`, on a crawl that a real worker has done.
 *
 * @module-tag long
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { runCliProcess, type CliResult } from '../../cli/run-cli.ts';
import { openDesk } from '../../support/crawling.ts';
import { startWorker } from '../../support/worker.ts';
import { withWorld } from '../../support/world.ts';
import { startWeb } from '../../web/server.ts';
import { ownFolder } from '../../support/given.ts';

const folder = ownFolder();
const blobDir = ownFolder();
const world = withWorld();
let crawl: string;

/** As on a machine whose Temporal is elsewhere. */
const replay = (
  args: readonly string[],
  temporal: string | null = world.temporalAddress,
): Promise<CliResult> =>
  // A process of its own has a runtime of Temporal of its own: in that of the tests another file may have made one before.
  runCliProcess(['replay', ...args], {
    ORBWEAVER_DATA: path.join(folder, 'data'),
    ...(temporal !== null && { ORBWEAVER_TEMPORAL_ADDRESS: temporal }),
    ORBWEAVER_TEMPORAL_NAMESPACE: world.namespace,
  });
const refused = (message: string | RegExp, code = 2): unknown =>
  expect.objectContaining({
    ...{ code, stdout: '' },
    stderr:
      typeof message === 'string' ? `orbweaver: ${message}\n` : (expect.stringMatching(message) as unknown),
  });

beforeAll(async () => {
  mkdirSync(path.join(folder, 'data'));
  const desk = await openDesk(world);
  const worker = await startWorker(world, { blobDir });
  const web = await startWeb({ seed: 7, hosts: 1, pages: 3, latencyMs: 1 });
  crawl = `crawl/${await desk.start(web.seeds, { delaySeconds: 0 })}`;
  await desk.ended(crawl.slice('crawl/'.length));
  await web.stop();
  await worker.drain();
  await desk.close();
});

it('a saved history replays without a stack, and a different one is told', async () => {
  const [file, other] = [path.join(folder, 'crawl.json'), path.join(folder, 'other.json')];
  expect(await replay(['--save', crawl, file])).toMatchObject({
    ...{ code: 0, stdout: '' },
    stderr: expect.stringMatching(
      new RegExp(`^\\d+ events of ${crawl} were written to ${file}\\.\\n$`),
    ) as unknown,
  });
  writeFileSync(other, readFileSync(file, 'utf8').replaceAll('"watchCrawl"', '"other"'));
  const both = await replay([file, other], null);
  expect(both.stdout).toMatch(
    new RegExp(
      `^${crawl} differs: the workflow crawl takes another step than its history has at event \\d+[^:]*: .*other.*patched.*\\n2 replayed, 1 differ\\.\\n$`,
    ),
  );
  expect(both.code).toBe(3);
  expect(await replay(['--save', crawl, file])).toEqual(refused(`The file ${file} exists already.`));
});

it('says what stands in the way', async () => {
  const [file, bad] = [path.join(folder, 'new.json'), path.join(folder, 'bad.json')];
  writeFileSync(bad, '{"pages": 3}');
  const temporal = world.temporalAddress;
  const refusals: readonly (readonly [readonly string[], string | null, unknown])[] = [
    [['--save', 'crawl/77', file], temporal, refused('There is no workflow crawl/77.')],
    [['--save', crawl, file], null, refused('No stack is running: orbweaver up starts one.')],
    [
      ['--save', crawl, file],
      '127.0.0.1:9',
      refused(/^orbweaver: Temporal at 127\.0\.0\.1:9 cannot be reached: .*\.\n$/, 1),
    ],
    [['--save', crawl], temporal, refused('Give one file for --save to write.')],
    [
      ['--save', crawl, path.join(bad, 'x')],
      temporal,
      refused(/^orbweaver: The file .* cannot be written: .*\n$/),
    ],
    [[file], null, refused(`The file ${file} cannot be read: there is no such file or folder.`)],
    [[bad], null, refused(`The file ${bad} holds no history that --save wrote.`)],
  ];
  // One after another: seven processes at once would keep each other from reaching a Temporal that is there.
  for (const [args, address, refusal] of refusals)
    expect(await replay(args, address), args.join(' ')).toEqual(refusal);
});
