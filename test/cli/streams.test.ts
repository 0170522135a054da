/**
 * Streams of the API on the command line: events in any pieces, and answers that break off.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { takeStream } from '../../cli/api/stream.ts';
import { readServerSentEvents, type ServerSentEvent } from '../../cli/api/stream.ts';
import { jsonLines, runCli } from './run-cli.ts';
import { serving } from './serving.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

// eslint-disable-next-line @typescript-eslint/require-await -- a stream that has all of it already
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('server-sent events (HTML standard, section 9.2.6)', () => {
  it('are read however their bytes are cut, and whatever ends their lines', async () => {
    const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, '').trimStart());
    const event = fc.record({
      id: fc.option(word),
      kind: word.filter((text) => text !== ''),
      data: fc.array(word, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 7 }),
        async (events, end, size) => {
          const text = events
            .flatMap(({ id, kind, data }) => [
              ': a comment',
              ...(id === null ? [] : [`id: ${id}`]),
              `event: ${kind}`,
              ...data.split('\n').map((line) => `data: ${line}`),
              '',
            ])
            .concat('data: cut off')
            .join(end);
          const read: ServerSentEvent[] = [];
          for await (const each of readServerSentEvents(inPieces(Buffer.from(text), size))) read.push(each);
          expect(read).toEqual(events);
        },
      ),
    );
  });
});

describe('export', () => {
  const cut: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"url":"https://a.example/"}\n', () => response.destroy());
  };

  it('that breaks off is an error, and leaves no file', async () => {
    const out = path.join(folder, 'pages.jsonl');
    const result = await serving(cut, (url) => runCli(['export', '1', '--out', out, '--server', url]));
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toBe('orbweaver: The answer broke off after 29 bytes: the connection was cut.\n');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    const shown = await serving(cut, (url) => runCli(['export', '1', '--server', url]));
    expect(shown).toMatchObject({ code: 1, stdout: '{"url":"https://a.example/"}\n' });
  });

  /** Time passes only as the test says: a busy machine may take longer for a byte than these streams wait. */
  const stopTime = (): void => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  };

  it('waits for a reader that is slow', async () => {
    stopTime();
    let end = (): void => undefined;
    const quick: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('a');
      end = () => void response.end('b');
    };
    await serving(quick, async (url) => {
      const address = { url, key: null, patienceMs: 0, silent: (why: string) => why };
      const { chunks } = await takeStream(address, '/x', 'application/x-ndjson', {}, 1_000);
      let read = '';
      for await (const chunk of chunks) {
        read += Buffer.from(chunk).toString();
        vi.advanceTimersByTime(1_300);
        end();
      }
      expect(read).toBe('ab');
    });
  });

  it.each([['export'], ['report']])('%s takes nothing from what is no Orbweaver', async (verb) => {
    const portal: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('guest network: please log in');
    };
    const out = path.join(folder, 'kept');
    const option = verb === 'export' ? '--out' : '--html';
    const result = await serving(portal, (url) => runCli([verb, '1', option, out, '--server', url]));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('its answer (status 200) is not');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not take the place of what is no file', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const result = await serving(cut, (url) => runCli(['export', '1', '--out', pipe, '--server', url]));
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('it exists and is not a file');
    expect(readdirSync(folder)).toEqual(['pipe']);
    rmSync(pipe);
  });

  it('of which nothing more comes is given up', async () => {
    stopTime();
    const silent: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('a');
    };
    await serving(silent, async (url) => {
      const address = { url, key: null, patienceMs: 0, silent: (why: string) => why };
      const { chunks } = await takeStream(address, '/x', 'application/x-ndjson', {}, 50);
      const reading = chunks[Symbol.asyncIterator]();
      expect((await reading.next()).value).toHaveLength(1);
      const next = reading.next();
      vi.advanceTimersByTime(50);
      await expect(next).rejects.toThrow(
        'The answer broke off after 1 bytes: no further byte came for too long.',
      );
    });
  });
});

describe('seeds add', () => {
  it('says that nobody knows what was stored where the answer is lost, and sends nothing twice', async () => {
    let asked = 0;
    const listener: RequestListener = (request) => {
      asked++;
      request.once('data', () => request.socket.destroy());
    };
    const lines = 'https://a.example/\n'.repeat(100_000);
    const result = await serving(listener, (url) =>
      runCli(['seeds', 'add', '1', '--seeds', '-', '--server', url], {}, lines),
    );
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /does not answer: .* Some of the seeds may have been stored; adding them again does no harm/,
    );
    expect(asked).toBe(1);
  });
});

describe('events --follow', () => {
  it('goes on behind the last one over streams that break off, and ends with the crawl', async () => {
    const asked: (string | undefined)[] = [];
    const event = (id: number): string => {
      const data = {
        id: String(id),
        crawlId: '1',
        kind: 'crawl.running',
        at: '2031-01-01T00:00:00.000Z',
        data: {},
      };
      return `id: ${String(id)}\nevent: crawl.running\ndata: ${JSON.stringify(data)}\n\n`;
    };
    const listener: RequestListener = (request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (asked.length === 1) response.write(event(1) + event(2), () => response.destroy());
      else response.end('event: progress\ndata: {}\n\n' + event(3) + 'event: end\ndata: {}\n\n');
    };
    const result = await serving(listener, (url) =>
      runCli(['events', '1', '--follow', '--json', '--server', url]),
    );
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(result.stdout).map((line) => (line as { id: string }).id)).toEqual(['1', '2', '3']);
    expect(asked).toEqual([undefined, '2']);
  });

  it('is refused at once where the key is', async () => {
    const listener: RequestListener = (_request, response) => {
      response.writeHead(401, { 'content-type': 'application/problem+json' });
      response.end('{"detail": "The key is revoked."}');
    };
    const result = await serving(listener, (url) => runCli(['events', '1', '--follow', '--server', url]));
    expect(result).toMatchObject({ code: 3, stdout: '', stderr: 'orbweaver: The key is revoked.\n' });
  });
});
