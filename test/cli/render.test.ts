/** `render` writes its report and the files of the page. */
import { afterEach, expect, it, vi } from 'vitest';
import { createApi } from '../../cli/api/api.ts';
import { writeRendered } from '../../cli/content/render.ts';
import { localApi } from '../../cli/api/target.ts';
import type { RenderOutcome } from '../../domain/rendering/outcome.ts';
import { runCli } from './run-cli.ts';
import { serving } from './serving.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const written = (stream: NodeJS.WriteStream): (() => string) => {
  const chunks: Buffer[] = [];
  vi.spyOn(stream, 'write').mockImplementation((chunk: string | Uint8Array) => {
    chunks.push(Buffer.from(chunk as string));
    return true;
  });
  return () => Buffer.concat(chunks).toString();
};

async function write(outs: readonly string[], outcome: RenderOutcome, json = false) {
  const url = 'https://a.example/';
  const found = {
    ...{ crawlId: '7', url, reason: 'asked', outcome, rounds: 1, words: 0, links: 0, resources: [] },
    ...{ refused: {}, navigation: null, console: [], screenshot: null, pdf: null },
    after: { words: 9, links: 1 },
  };
  const files = outs.map((out) => ({ out, part: 'body', type: 'application/octet-stream' }));
  const [stdout, stderr] = [written(process.stdout), written(process.stderr)];
  await serving(
    (_, response) => response.setHeader('content-type', 'application/octet-stream').end('<p>made</p>'),
    (server) =>
      writeRendered({ api: createApi(localApi(server, null)), crawlId: '7', url }, found, files, json),
  );
  return { stdout: stdout(), stderr: stderr() };
}

it.each([false, true])('a file on standard output is alone there (as JSON: %s)', async (json) => {
  const { stdout, stderr } = await write(['-'], 'settled', json);
  expect(stdout).toBe('<p>made</p>');
  expect(stderr).toContain(json ? '"outcome":"settled"' : 'it had all that could be had');
  expect(stderr).not.toContain('as the server sent it.');
});

it('without such a file the report is on standard output', async () => {
  const { stdout, stderr } = await write([], 'settled');
  expect(stdout).toContain('it had all that could be had');
  expect(stderr).toBe('');
});

it.each(['crashed', 'no-browser'] as const)(
  'the HTML of a page that ended as %s is told to be the server’s',
  async (outcome) => {
    expect((await write(['-'], outcome)).stderr).toContain('the HTML is as the server sent it.');
  },
);

it('two files cannot go to standard output', async () => {
  const { code, stderr } = await runCli(['render', 'https://a.example/', '--html', '-', '--pdf', '-']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Only one of the files')]);
});
