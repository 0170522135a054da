/** Several requests of one slice in flight together, for hosts one owns whose operator allows it. */

export interface Lane {
  /** From 0; nobody else has it at the time. */
  readonly number: number;
  /** Call when the request of the lane is under way: the next may leave, at the host's pace. */
  readonly departed: () => void;
}

/**
 * Does `work` for the items in their order, each asked for when it is begun, for up to `lanes` of them at a time. The next item is begun when the one
 * before has departed or is over, so that never more than one waits for its time to leave; with a single lane, which
 * `work` is not told of, when it is over. Where one answers false, or fails, no further item is begun; those in hand
 * are finished.
 * @throws the first failure, once nothing is in hand any more
 */
export async function inLanes<T>(
  items: Iterable<T>,
  lanes: number,
  work: (item: T, lane?: Lane) => Promise<boolean>,
): Promise<void> {
  if (lanes === 1) {
    for (const item of items) if (!(await work(item))) return;
    return;
  }
  const inHand = new Set<Promise<void>>();
  const free = Array.from({ length: lanes }, (_, number) => number);
  const failures: unknown[] = [];
  const state = { going: true };
  const begin = async (item: T, lane: Lane): Promise<void> => {
    try {
      if (!(await work(item, lane))) state.going = false;
    } catch (error) {
      state.going = false;
      failures.push(error);
    }
    free.push(lane.number);
    lane.departed();
  };
  for (const item of items) {
    while (free.length === 0) await Promise.race(inHand);
    // What ended meanwhile may have ended it all.
    if (!state.going) break;
    const number = free.shift() ?? 0;
    await new Promise<void>((departed) => {
      const one = begin(item, { number, departed }).finally(() => inHand.delete(one));
      inHand.add(one);
    });
  }
  await Promise.all(inHand);
  if (failures.length > 0) throw failures[0];
}
