/** Idle hosts are told of URLs that were admitted for them: once, whoever finds them idle first. */
import { WorkflowNotFoundError } from '@temporalio/client';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { wakeHost } from '../../../activities/wake-host.ts';
import { HostWaker, type WakeHost } from '../../../engine/host-waker.ts';
import { hostWorkflowId } from '../../../contracts/workflows.ts';
import { markIdle } from '../../../storage/feeding/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { newHost, withFrontier } from '../storage/frontier.ts';

const { pool } = withFrontier();

const idleHost = async (name: string): Promise<{ id: number; workflow: string }> => {
  const origin = `https://${name}-${String(Math.random())}.example`;
  const id = await newHost(pool, origin);
  await markIdle(pool, String(id));
  return { id, workflow: hostWorkflowId(origin) };
};

/** A process that wakes hosts; the signals it sent. */
function waker(fail?: Error) {
  const sent: string[] = [];
  const workflows = {
    getHandle: (id: string) => ({
      signal: () => {
        if (fail !== undefined) return Promise.reject(fail);
        sent.push(id);
        return Promise.resolve();
      },
    }),
  };
  // The one method of a handle that is used.
  const client = workflows as unknown as Parameters<typeof wakeHost>[0];
  const tell: WakeHost = (origin) => wakeHost(client, origin);
  return { sent, waker: new HostWaker(pool, tell, pino({ level: 'silent' })) };
}

describe('waking idle hosts', () => {
  it('signals each idle host once, however many URLs came and however many processes saw them', async () => {
    const [a, b] = [await idleHost('a'), await idleHost('b')];
    const [one, other] = [waker(), waker()];
    one.waker.wake([a.id, b.id, a.id]);
    other.waker.wake([b.id, a.id]);
    await Promise.all([one.waker.flush(), other.waker.flush()]);
    expect([...one.sent, ...other.sent].sort()).toEqual([a.workflow, b.workflow].sort());
    one.waker.wake([a.id]);
    await one.waker.flush();
    expect([...one.sent, ...other.sent]).toHaveLength(2);
  });

  it('leaves hosts alone that are at work', async () => {
    const working = await idleHost('working');
    expect(await takeLease(pool, String(working.id), 5_000)).toHaveLength(1);
    const { sent, waker: its } = waker();
    its.wake([working.id]);
    await its.flush();
    expect(sent).toEqual([]);
  });

  it('gathers what comes close together, without being asked', async () => {
    const host = await idleHost('soon');
    const { sent, waker: its } = waker();
    its.wake([host.id]);
    await expect.poll(() => sent).toEqual([host.workflow]);
  });

  it.each([new WorkflowNotFoundError('it has ended', 'host/x', undefined), new Error('Temporal is away')])(
    'never fails its caller: %s',
    async (error) => {
      const host = await idleHost('gone');
      const { waker: its } = waker(error);
      its.wake([host.id]);
      await expect(its.flush()).resolves.toBeUndefined();
    },
  );
});
