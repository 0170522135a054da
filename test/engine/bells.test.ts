import pino from 'pino';
import { expect, it } from 'vitest';
import { Bells, type Ear } from '../../engine/bells.ts';

/** Bells of a process: `sent` are its messages, the first of which stays under way until `arrive`. */
function bells() {
  const sent: string[] = [];
  const { promise, resolve: arrive } = Promise.withResolvers<undefined>();
  const of = new Bells(
    (text) => {
      sent.push(text);
      return promise;
    },
    pino({ level: 'silent' }),
  );
  return { of, sent, arrive: () => (arrive(undefined), promise) };
}
const never = new AbortController().signal;
/** Would a sleep end at once? One that does not is left to its timer. */
const isRung = async (ear: Ear): Promise<boolean> => {
  const rung = ear.sleep(50, never).then(() => true);
  return Promise.race([rung, new Promise<boolean>((soon) => setImmediate(soon, false))]);
};
const any = (): boolean => true;

it('rings for nobody where no visit has called, and once for each call', () => {
  const { of, sent } = bells();
  const reader = of.listen(['judged'], any);
  of.ring('judged', [1, 2]);
  of.ring('found', [1, 2]);
  expect(sent).toEqual([]);
  of.ring('call', [1]);
  of.ring('judged', [1, 2]);
  of.ring('found', [1]);
  of.ring('found', [1]);
  of.silence(reader);
  expect(sent).toHaveLength(1);
});

it('lets what rings while a message is under way share the next one of its kind', async () => {
  const { of, sent, arrive } = bells();
  for (const host of [1, 2, 3, 2]) of.ring('call', [host]);
  expect(sent).toHaveLength(1);
  await arrive();
  await new Promise((soon) => setImmediate(soon));
  expect(sent.map((text) => text.split(' ').slice(1))).toEqual([
    ['call', '1'],
    ['call', '2,3'],
  ]);
});

it('wakes who hears the host, and who has looked since is not woken again', async () => {
  const { of } = bells();
  const [mine, others] = [1, 2].map((host) => of.listen(['call'], (id) => id === host)) as [Ear, Ear];
  of.ring('call', [1]);
  expect([await isRung(mine), await isRung(others)]).toEqual([true, false]);
  mine.forget();
  expect(await isRung(mine)).toBe(false);
});

it('hears other processes, itself not, and no nonsense', async () => {
  const [here, there] = [bells(), bells()];
  const ear = here.of.listen(['call', 'found'], any);
  here.of.ring('call', [7]);
  ear.forget();
  for (const text of [...here.sent, '', 'x', 'x nothing 7', 'x found']) here.of.hear(text);
  there.of.ring('call', [7]);
  const [message = ''] = there.sent;
  ear.forget();
  for (const text of here.sent) here.of.hear(text);
  expect(await isRung(ear)).toBe(false);
  here.of.hear(message);
  expect(await isRung(ear)).toBe(true);
});
