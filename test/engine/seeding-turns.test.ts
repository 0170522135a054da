import { expect, it } from 'vitest';
import { SeedingTurns } from '../../engine/admission/seeding-turns.ts';

const never = new AbortController().signal;

it('gives a tenant that is new the next turn, however many batches of another wait', async () => {
  const turns = new SeedingTurns(1);
  const order: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const batch = (tenant: number, name: string, after: Promise<unknown> = Promise.resolve()) =>
    turns.take(tenant, never, async () => {
      await after;
      order.push(name);
    });
  const all = [batch(1, 'large 0', held.promise)];
  for (let at = 1; at <= 60; at++) all.push(batch(1, `large ${String(at)}`));
  all.push(batch(2, 'small'));
  held.resolve(undefined);
  await Promise.all(all);
  expect(order).toHaveLength(62);
  expect(order.indexOf('small')).toBeLessThanOrEqual(2);
});

it('lets who is told to stop leave the line, and loses no place by it', async () => {
  const turns = new SeedingTurns(1);
  const held = Promise.withResolvers<undefined>();
  const first = turns.take(1, never, () => held.promise);
  const leaver = new AbortController();
  const left = turns.take(1, leaver.signal, () => Promise.resolve('worked'));
  const second = turns.take(1, never, () => Promise.resolve('second'));
  leaver.abort();
  expect(await left).toBeNull();
  held.resolve(undefined);
  await first;
  expect(await second).toBe('second');
  expect(await turns.take(1, AbortSignal.abort(), () => Promise.resolve('a free place'))).toBe(
    'a free place',
  );
});

it('passes a place on where the work in it fails', async () => {
  const turns = new SeedingTurns(1);
  const failing = turns.take(1, never, () => Promise.reject(new Error('no Postgres')));
  const next = turns.take(1, never, () => Promise.resolve('next'));
  await expect(failing).rejects.toThrow('no Postgres');
  expect(await next).toBe('next');
});
