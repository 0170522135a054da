/**
 * Room for large bodies: a common bound on what a process holds of them, which small ones never wait for.
 *
 * @module-tag long
 */
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NoRoomForBody, type FetchResponse } from '../../contracts/fetching.ts';
import { BodyBudget, freeBytes, type BodyRoom } from '../../net/body-budget.ts';
import { BodyClaim } from '../../net/body-claim.ts';
import { cert, key } from './certificate.ts';
import { expectFault, expectResponse, fetching, stopClock, until } from './fetching.ts';
import { listen } from '../support/loopback.ts';
import { rawServer, response } from './raw-server.ts';
import { runs } from '../support/runs.ts';

const MiB = 1024 * 1024;
const limits = { maxBodyBytes: 10 * MiB, totalTimeoutMs: 200_000 };

setFlagsFromString('--expose-gc');
/** Garbage is not counted as memory that is held. */
const collectGarbage = runInNewContext('gc') as () => void;

/** How many bodies have begun to wait in line since this was called. */
function linedUp(): () => number {
  const wait = vi.spyOn(BodyClaim.prototype, 'wait');
  onTestFinished(() => {
    wait.mockRestore();
  });
  return () => wait.mock.calls.length;
}

describe('the budget', () => {
  const opened = (budget: BodyBudget, bytes: number): { room: BodyRoom; granted: () => boolean } => {
    const room = budget.open();
    const state = { granted: room.take(bytes) };
    if (!state.granted) room.queue(bytes, () => (state.granted = true));
    return { room, granted: () => state.granted };
  };

  it('goes by turns: what fits does not pass what came before it', () => {
    const budget = new BodyBudget(10);
    const first = opened(budget, 6);
    const large = opened(budget, 8);
    const small = opened(budget, 2);
    expect([large.granted(), small.granted()]).toEqual([false, false]);
    first.room.release();
    expect([large.granted(), small.granted(), budget.taken]).toEqual([true, true, 10]);
  });

  it('grants what is larger than all of it, alone', () => {
    const budget = new BodyBudget(10);
    const one = opened(budget, 1);
    const huge = opened(budget, 100);
    expect(huge.granted()).toBe(false);
    one.room.release();
    expect([huge.granted(), budget.taken]).toEqual([true, 10]);
  });

  it('lets the next ones in when one leaves the line, or keeps less', () => {
    const budget = new BodyBudget(10);
    const holder = opened(budget, 9);
    const large = opened(budget, 5);
    const small = opened(budget, 1);
    large.room.release();
    expect(small.granted()).toBe(true);
    const next = opened(budget, 4);
    holder.room.keep(5);
    expect([next.granted(), budget.taken]).toEqual([true, 10]);
  });

  it('is never exceeded and never lost, whatever is done in whatever order', () => {
    const step = fc.record({
      kind: fc.constantFrom('open', 'release', 'keep'),
      which: fc.nat(20),
      bytes: fc.integer({ min: 1, max: 15 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new BodyBudget(12);
        const rooms: ReturnType<typeof opened>[] = [];
        for (const { kind, which, bytes } of steps) {
          if (kind === 'open') rooms.push(opened(budget, bytes));
          else if (kind === 'release') rooms[which % rooms.length]?.room.release();
          else if (rooms[which % rooms.length]?.granted() === true)
            rooms[which % rooms.length]?.room.keep(bytes);
          expect(budget.taken).toBeGreaterThanOrEqual(0);
          expect(budget.taken).toBeLessThanOrEqual(12);
        }
        for (const { room } of rooms) room.release();
        expect([budget.taken, budget.waiting]).toEqual([0, 0]);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

/** Servers of a test share its memory: what they send costs none. */
const filler = Buffer.alloc(8 * MiB, 'x');

/** Sends `total` bytes, a piece each `everyMs`; answers how many it could send so far, and may be told to stop at `most`. */
async function slowServer(total: number, piece: number, everyMs: number, declared = true) {
  const sent = { bytes: 0, most: Infinity };
  const server = await rawServer((socket) => {
    const fields = declared ? `Content-Length: ${String(total)}` : 'Connection: close';
    socket.write(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`);
    let left = total;
    const drip = setInterval(() => {
      if (socket.writableNeedDrain || sent.bytes >= sent.most) return;
      const bytes = Math.min(piece, left);
      socket.write(filler.subarray(0, bytes));
      sent.bytes += bytes;
      left -= bytes;
      if (left > 0) return;
      clearInterval(drip);
      if (!declared) socket.end();
    }, everyMs);
    socket.on('close', () => clearInterval(drip));
  });
  return { server, sent };
}

const released = (result: FetchResponse): FetchResponse => {
  result.release?.();
  return result;
};

it('room that is given back twice, or in part before, is given back once', () => {
  const budget = new BodyBudget(100);
  const [one, other] = [budget.open(), budget.open()];
  expect([one.take(60), other.take(40)]).toEqual([true, true]);
  one.keep(10);
  expect(budget.taken).toBe(50);
  one.release();
  one.release();
  expect(budget.taken).toBe(40);
});

describe('many large bodies at once', () => {
  it('take no more than the budget, and each comes whole', async () => {
    // The last in line wait for 450 MiB of others.
    stopClock();
    const hosts = await Promise.all(Array.from({ length: 50 }, () => slowServer(10 * MiB, MiB, 5)));
    const get = fetching({ bodyBudgetBytes: 30 * MiB });
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 5);
    const bodies = await Promise.all(
      hosts.map(async ({ server }) => {
        const result = expectResponse(await get(server.origin, { limits }));
        expect(result.release).toBeDefined();
        return released(result).body.length;
      }),
    );
    clearInterval(watch);
    expect(bodies).toEqual(hosts.map(() => 10 * MiB));
    // 500 MiB went through. Besides the budget: what waits in line (50 × 256 KiB and a read each), the copies of
    // bodies that are put together, and garbage, of which there is more while other tests keep the processor busy.
    expect(peak - before).toBeLessThan(250 * MiB);
  });

  it('are held back, not read: their hosts wait, and their time limit stands still', async () => {
    const pass = stopClock();
    const inLine = linedUp();
    const holder = await slowServer(MiB, 64 * 1024, 100);
    const waiter = await slowServer(8 * MiB, 256 * 1024, 1);
    const get = fetching({ bodyBudgetBytes: MiB });
    const first = get(holder.server.origin, { limits });
    await until(() => holder.sent.bytes > 512 * 1024);
    const second = get(waiter.server.origin, { limits: { ...limits, totalTimeoutMs: 500 } });
    await until(() => inLine() === 1);
    pass(10_000);
    released(expectResponse(await first));
    // Held in the kernel's buffers, not in ours.
    expect(waiter.sent.bytes).toBeLessThan(8 * MiB);
    expect(expectResponse(await second).body.length).toBe(8 * MiB);
  });

  it('in line count no time, yet as much as before once they go on', async () => {
    const pass = stopClock();
    const inLine = linedUp();
    const holder = await slowServer(MiB, 128 * 1024, 50);
    const endless = await slowServer(1024 * MiB, 400 * 1024, 300, false);
    const get = fetching({ bodyBudgetBytes: MiB });
    const first = get(holder.server.origin, { limits });
    await until(() => holder.sent.bytes > 512 * 1024);
    const state = { over: false };
    const second = get(endless.server.origin, { limits: { ...limits, totalTimeoutMs: 600 } }).finally(
      () => (state.over = true),
    );
    await until(() => inLine() === 1);
    pass(10_000);
    released(expectResponse(await first));
    pass(599);
    await pause(50);
    expect(state.over).toBe(false);
    pass(1);
    expect(expectFault(await second).fault).toBe('timeout');
  });
});

describe('HTTP/2', () => {
  const h2Server = async (answer: (stream: ServerHttp2Stream) => void): Promise<string> => {
    const server = createSecureServer({ cert, key });
    const sessions = new Set<{ destroy: () => void }>();
    server.on('session', (session) => sessions.add(session));
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200 });
      answer(stream);
    });
    const port = await listen(server);
    onTestFinished(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    return `https://127.0.0.1:${String(port)}`;
  };

  it('waits in line, and goes on', async () => {
    const origin = await h2Server((stream) => stream.end(filler));
    const holder = await slowServer(2 * MiB, 128 * 1024, 20);
    const get = fetching({ bodyBudgetBytes: 8 * MiB, ca: cert });
    const first = get(holder.server.origin, { limits });
    await until(() => holder.sent.bytes > 512 * 1024);
    const state = { over: false };
    const second = get(origin, { limits }).finally(() => (state.over = true));
    const held = expectResponse(await first);
    expect(state.over).toBe(false);
    held.release?.();
    expect(expectResponse(await second).body.length).toBe(8 * MiB);
  });

  it('whose stream is reset in line has what came of it', async () => {
    const inLine = linedUp();
    let cutOff = (): void => undefined;
    const origin = await h2Server((stream) => {
      stream.write(filler.subarray(0, 400 * 1024));
      cutOff = () => stream.destroy(new Error('enough'));
    });
    const holder = await slowServer(2 * MiB, 128 * 1024, 20);
    const get = fetching({ bodyBudgetBytes: 2 * MiB, ca: cert });
    const first = get(holder.server.origin, { limits });
    await until(() => holder.sent.bytes > 512 * 1024);
    const second = get(origin, { limits });
    await until(() => inLine() === 1);
    cutOff();
    released(expectResponse(await first));
    const cut = expectResponse(await second);
    expect(cut.truncated).toBe('incomplete');
    expect(cut.body.length).toBeGreaterThanOrEqual(freeBytes);
    released(cut);
    expect(released(expectResponse(await get(holder.server.origin, { limits }))).body.length).toBe(2 * MiB);
  });
});

describe('small bodies', () => {
  it('pass while all room is taken, and coded ones too', async () => {
    const holder = await slowServer(9 * MiB, 300 * 1024, 20, false);
    holder.sent.most = 2 * MiB;
    const page = Buffer.alloc(200 * 1024, '<p>page</p>');
    const server = await rawServer((socket, head) => {
      const coded = head.startsWith('GET /coded');
      socket.write(coded ? response(zlib.gzipSync(page), { 'Content-Encoding': 'gzip' }) : response(page));
    });
    const get = fetching({ bodyBudgetBytes: 10 * MiB });
    const slow = { over: false };
    const first = get(holder.server.origin, { limits }).finally(() => (slow.over = true));
    await until(() => holder.sent.bytes > MiB);
    for (const path of ['/plain', '/coded']) {
      const result = expectResponse(await get(`${server.origin}${path}`, { limits }));
      expect(Buffer.from(result.body).equals(page)).toBe(true);
      expect(result.release).toBeUndefined();
    }
    expect(slow.over).toBe(false);
    holder.sent.most = Infinity;
    released(expectResponse(await first));
  });

  it('on the wire that are large once undone wait as large ones do', async () => {
    const packed = zlib.gzipSync(Buffer.alloc(3 * MiB, 'x'));
    const server = await rawServer((socket) =>
      socket.write(response(packed, { 'Content-Encoding': 'gzip' })),
    );
    const get = fetching({ bodyBudgetBytes: 10 * MiB });
    const holder = expectResponse(await get(server.origin, { limits }));
    const state = { over: false };
    const plain = await slowServer(8 * MiB, 8 * MiB, 1);
    const other = expectResponse(
      await get(plain.server.origin, { limits: { ...limits, maxBodyBytes: 7 * MiB } }),
    );
    expect(other.truncated).toBe('too-large');
    const next = get(server.origin, { limits }).finally(() => (state.over = true));
    await until(() => server.requests.length === 2);
    await pause(200);
    expect(state.over).toBe(false);
    other.release?.();
    holder.release?.();
    expect(expectResponse(await next).body.length).toBe(3 * MiB);
  });

  it('in a million pieces take the room of their bytes', async () => {
    const pieces = 240_000;
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let at = 0; at < pieces; at += 1_000) socket.write('1\r\nx\r\n'.repeat(1_000));
    });
    const get = fetching();
    collectGarbage();
    const before = process.memoryUsage();
    const result = get(server.origin, { limits: { ...limits, totalTimeoutMs: 2_000 } });
    await until(() => server.requests.length === 1);
    await pause(1_000);
    collectGarbage();
    const after = process.memoryUsage();
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(
      12 * MiB,
    );
    expect(expectFault(await result).fault).toBe('timeout');
  });
});

describe('room that is not needed any more', () => {
  it.each(['the caller aborts', 'the connection breaks', 'the time is up', 'the body is too large'])(
    'is free again when %s',
    async (how) => {
      const pass = stopClock();
      const budget = 2 * MiB;
      const holder = await slowServer(
        64 * MiB,
        how === 'the body is too large' ? MiB : 100 * 1024,
        20,
        false,
      );
      const abort = new AbortController();
      const get = fetching({ bodyBudgetBytes: budget });
      const own = { limits: { ...limits, maxBodyBytes: 2 * MiB }, signal: abort.signal };
      const first = get(holder.server.origin, own);
      await until(() => holder.sent.bytes > 400 * 1024);
      if (how === 'the caller aborts') abort.abort(new Error('enough'));
      if (how === 'the connection breaks') holder.server.close();
      if (how === 'the time is up') pass(limits.totalTimeoutMs);
      const result = await first.catch(() => null);
      if (result?.kind === 'response') released(result);
      const whole = await rawServer((socket) => socket.write(response(Buffer.alloc(budget))));
      expect(expectResponse(await get(whole.origin, { limits })).body.length).toBe(budget);
    },
  );

  it('is free when one in line is aborted, and its connection goes', async () => {
    const inLine = linedUp();
    const holder = await slowServer(2 * MiB, 64 * 1024, 20);
    const waiter = await slowServer(2 * MiB, 512 * 1024, 1);
    const get = fetching({ bodyBudgetBytes: 2 * MiB });
    const first = get(holder.server.origin, { limits });
    await until(() => holder.sent.bytes > 400 * 1024);
    const abort = new AbortController();
    const second = get(waiter.server.origin, { limits, signal: abort.signal });
    await until(() => inLine() === 1);
    abort.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await until(() => waiter.server.connections.open === 0);
    released(expectResponse(await first));
    const third = await get(holder.server.origin, { limits });
    expect(expectResponse(third).body.length).toBe(2 * MiB);
  });

  it('of an error page is not waited for', async () => {
    const holder = await slowServer(2 * MiB, 64 * 1024, 30);
    holder.sent.most = MiB;
    const failing = await rawServer((socket) =>
      socket.write(response(Buffer.alloc(MiB), {}, '500 Internal Server Error')),
    );
    const get = fetching({ bodyBudgetBytes: 2 * MiB });
    const slow = { over: false };
    const first = get(holder.server.origin, { limits }).finally(() => (slow.over = true));
    await until(() => holder.sent.bytes > 400 * 1024);
    expect(expectResponse(await get(failing.origin, { limits }))).toMatchObject({ status: 500 });
    expect(slow.over).toBe(false);
    holder.sent.most = Infinity;
    released(expectResponse(await first));
  });

  it('is given up for after half a minute, with nobody to blame', { tags: ['deep'] }, async () => {
    const page = await rawServer((socket) => socket.write(response(Buffer.alloc(MiB))));
    const told: string[] = [];
    const get = fetching({ bodyBudgetBytes: MiB, onNoRoom: ({ message }) => told.push(message) });
    const kept = expectResponse(await get(page.origin, { limits }));
    const start = performance.now();
    await expect(get(page.origin, { limits })).rejects.toBeInstanceOf(NoRoomForBody);
    expect(performance.now() - start).toBeGreaterThan(29_000);
    expect(told).toHaveLength(1);
    kept.release?.();
    expect(expectResponse(await get(page.origin, { limits })).body.length).toBe(MiB);
  });
});
