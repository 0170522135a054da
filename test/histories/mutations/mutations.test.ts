/**
 * A few of the mutants that `npm run mutations` judges: it finds them, and the saved histories find them out.
 *
 * @module-tag long
 */
import { beforeAll, expect, it } from 'vitest';
import { presentCode, silenceReplays } from '../saved-histories.ts';
import { workflowCode } from './commands.ts';
import { equivalence, staleEquivalences } from './equivalent.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { Judge, type Verdict } from './verdict.ts';

let mutants: readonly Mutant[];
let judge: Judge;
const judged = (name: string): Promise<Verdict> => {
  const mutant = mutants.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  return judge.judge(mutant);
};

beforeAll(async () => {
  silenceReplays();
  mutants = mutantsOf(workflowCode());
  judge = new Judge(await presentCode());
});

it('mutants have names of their own, are of every workflow, and some are known to be equivalent', () => {
  const names = mutants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(mutants.flatMap(({ types }) => types))).toEqual(
    new Set(['crawl', 'host', 'job', 'scheduler']),
  );
  expect(staleEquivalences(names)).toEqual([]);
});

it.each([
  'host-messages.ts hearMessages/setDelayUpdate: setHostDelay removed',
  'host-messages.ts hearMessages/dropHostUpdate: dropHost doubled',
  'host-messages.ts hearMessages/redriveHostUpdate: condition removed',
  'host-messages.ts hearMessages/redriveHostUpdate: countHost moved after “host.woken = true;”',
  'host.ts #wait: enter removed',
  'host-state.ts pause: cut removed',
  'crawl.ts #step: #end removed',
  'crawl.ts #end: #stand (2) removed',
  'crawl.ts #carryOver: continueAsNew removed',
  'attributes.ts attributeSetter: upsertSearchAttributes doubled',
])('caught: %s', async (name) => {
  expect(equivalence(name)).toBeNull();
  expect(await judged(name)).toMatchObject({ caughtBy: expect.any(String) as unknown, differs: true });
});

it('what changes no command is not caught', async () => {
  const same = 'job.ts job: continueAsNew doubled';
  expect(equivalence(same)).not.toBeNull();
  expect((await judged(same)).caughtBy).toBeNull();
});
