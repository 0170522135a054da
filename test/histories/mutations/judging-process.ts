/** A process that judges mutants, one after the other, for main.ts. */
import { presentCode, silenceReplays } from '../saved-histories.ts';
import type { Mutant } from './mutants.ts';
import { Judge } from './verdict.ts';

silenceReplays();
const judge = new Judge(await presentCode());
process.on('message', (mutant: Mutant) => {
  void judge.judge(mutant).then((verdict) => process.send?.(verdict));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
