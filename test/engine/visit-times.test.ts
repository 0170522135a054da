/** Where the time of a visit goes: whatever the visit does, the parts add up to the time that passed (G14). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeCauseNames, totalTime } from '../../domain/time-lost.ts';
import { type CrawlTimes, VisitTimes } from '../../engine/visit/visit-times.ts';

const databaseNow = 1_700_000_000_000;

function visit() {
  const clock = { now: 5_000 };
  const times = new VisitTimes(databaseNow, () => clock.now);
  const pass = (ms: number): void => {
    clock.now += ms;
  };
  const spentOf = (id: number) => times.due().find(({ crawlId }) => crawlId === id)?.spent;
  return { clock, times, pass, spentOf };
}

type Act = (times: VisitTimes, at: number) => void;
const acts = fc.oneof(
  fc.constantFrom(...timeCauseNames).map((cause): Act => (times) => {
    times.does(cause);
  }),
  fc.constantFrom(null, 1, 2).map((id): Act => (times) => {
    times.underWay(id, 1);
  }),
  fc.constantFrom(null, 1, 2).map((id): Act => (times) => {
    times.underWay(id, -1);
  }),
  fc.integer({ min: -100, max: 5_000 }).map((ms): Act => (times, at) => {
    times.pace = () => [{ cause: 'delay', until: at + ms }];
  }),
  fc
    .constantFrom('time' as const, 'caps' as const, 'pressure' as const, null)
    .map((waits): Act => (times) => {
      times.waits(waits);
    }),
  fc.constant<Act>((times) => void times.note()),
  fc.boolean().map((isWritten): Act => (times) => {
    times.noted(isWritten);
  }),
  fc.integer({ min: 0, max: 5_000 }).map((due_ms): Act => (times) => {
    times.leased([{ crawl_id: 1, due_ms, reason: 'server-error' }]);
  }),
);

it('counts every millisecond once, for each crawl, in whatever order things happen', () => {
  const steps = fc.array(fc.tuple(acts, fc.integer({ min: 0, max: 10_000 })), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 9_000 }), (happens, before) => {
      const { clock, times, pass } = visit();
      const sums = new Map([1, 2].map((id) => [id, 0]));
      let noting: readonly CrawlTimes[] = [];
      const [note, noted] = [times.note.bind(times), times.noted.bind(times)];
      // One note at a time, as the keeper of leases has it.
      times.note = () => (noting = noting.length > 0 ? noting : note());
      times.noted = (isWritten) => {
        noted(isWritten);
        for (const { crawlId, spent } of isWritten ? noting : [])
          sums.set(crawlId, (sums.get(crawlId) ?? 0) + totalTime(spent));
        noting = [];
      };
      pass(before);
      times.begin(
        [1, 2].map((id) => ({ crawl_id: id, waited: { place: 700, slot: before } })),
        false,
      );
      for (const [act, ms] of happens) {
        act(times, clock.now);
        pass(ms);
        for (const { spent } of times.due())
          expect(Math.min(...timeCauseNames.map((cause) => spent[cause] ?? 0))).toBeGreaterThanOrEqual(0);
      }
      for (const isWritten of [noting.length > 0, true]) {
        times.noted(isWritten);
        times.note();
      }
      times.noted(true);
      const passed = happens.reduce((sum, [, ms]) => sum + ms, before + 700);
      // Each of them had work all the time: nothing here says `does(null)`.
      for (const sum of sums.values()) expect(sum).toBeCloseTo(passed, 3);
      expect(times.due()).toEqual([]);
    }),
  );
});

it('counts our own work as such only where no delay had to pass anyway', () => {
  const { times, pass, spentOf, clock } = visit();
  times.begin(
    [
      { crawl_id: 1, waited: {} },
      { crawl_id: 2, waited: {} },
    ],
    false,
  );
  times.underWay(1, 1);
  pass(50);
  times.underWay(1, -1);
  const until = clock.now + 100;
  times.pace = (id) => [
    { cause: 'crawl_delay', until },
    { cause: 'own_delay', until: id === 2 ? until + 20 : 0 },
  ];
  pass(60);
  times.waits('time');
  pass(43);
  times.waits(null);
  expect(spentOf(1)).toEqual({ answering: 50, crawl_delay: 100, own_work: 3 });
  expect(spentOf(2)).toEqual({ others: 50, crawl_delay: 100, own_delay: 3 });
  times.does(null);
  pass(1_000);
  expect(spentOf(1)).toEqual({ answering: 50, crawl_delay: 100, own_work: 3 });
});

it('counts a wait for the delay as such while other requests of the visit are under way', () => {
  const { times, pass, spentOf, clock } = visit();
  times.begin([{ crawl_id: 1, waited: {} }], false);
  times.underWay(1, 1);
  const until = clock.now + 100;
  times.pace = () => [{ cause: 'delay', until }];
  times.waits('time');
  pass(100);
  times.waits(null);
  times.underWay(1, 1);
  pass(400);
  expect(spentOf(1)).toEqual({ delay: 100, answering: 400 });
});

it('puts what it did before its crawls were known in the place of the wait that this looked like', () => {
  const { times, pass, spentOf } = visit();
  times.underWay(null, 1);
  pass(400);
  times.underWay(null, -1);
  times.begin([{ crawl_id: 1, waited: { delay: 1_000, place: 2_400 } }], false);
  expect(spentOf(1)).toEqual({ delay: 1_000, place: 2_000, robots_txt: 400 });
});

it('says what URLs were waited for that became due only just now, and what a lost visit cost', () => {
  const late = visit();
  late.times.begin([{ crawl_id: 1, waited: { delay: 1_000, place: 500, slot: 9_500 } }], false);
  late.times.leased([
    { crawl_id: 1, due_ms: 200, reason: 'server-error' },
    { crawl_id: 1, due_ms: 3_000, reason: 'overloaded' },
  ]);
  expect(late.spentOf(1)).toEqual({ delay: 0, place: 0, slot: 3_000, retry_after: 8_000 });
  const backoff = visit();
  backoff.times.begin([{ crawl_id: 1, waited: { backoff: 6_000, delay: 500, slot: 4_500 } }], false);
  backoff.times.leased([{ crawl_id: 1, due_ms: 3_000, reason: 'reset' }]);
  expect(backoff.spentOf(1)).toEqual({ backoff: 6_000, delay: 0, retry: 2_000, slot: 3_000 });
  const lost = visit();
  lost.times.begin([{ crawl_id: 1, waited: { delay: 1_000, slot: 9_000 } }], true);
  expect(lost.spentOf(1)).toMatchObject({ delay: 1_000, fault: 9_000 });
});

it('gives its intervals by the clock of the database, one after another', () => {
  const { times, pass } = visit();
  times.begin([{ crawl_id: 1, waited: { place: 300 } }], false);
  pass(1_000);
  const first = times.note();
  expect(first).toMatchObject([{ from: databaseNow - 300, until: databaseNow + 1_000, sure: true }]);
  pass(2_000);
  // While it is being written, it is due all the same: a visit that ends tells of it once more.
  expect(times.due()).toMatchObject([{ from: databaseNow - 300, until: databaseNow + 3_000 }]);
  times.noted(true);
  expect(times.due()).toMatchObject([{ from: databaseNow + 1_000, until: databaseNow + 3_000, sure: false }]);
});
