/** Several requests of one slice in flight together, at hosts for which an operator allows it. */

export interface Lane {
  /** From 0; no other request in flight has the same number. */
  readonly number: number;
  /** The caller must call this when its request is under way: the next may then leave, at the host's pace. */
  readonly departed: () => void;
}

/**
 * Does `work` for the items in their order, for up to `lanes` items at a time. An item is taken from `items` only when
 * its work begins. The next item begins when the one before has departed or is over, so that never more than one waits
 * for its time to leave. With a single lane, `work` gets no lane, and the next item begins when the one before is over.
 * If `work` returns false or fails, no further item begins; items under way are finished.
 * @throws the first failure, once no item is under way any more
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
    // An item that ended meanwhile may have stopped all further ones.
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
