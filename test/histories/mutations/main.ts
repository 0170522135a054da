/**
 * Do the saved histories notice changes that would break workflows that run? Each place at which workflow code sends
 * commands is removed, doubled and moved, one at a time, and the saved histories are replayed on the result. Run by
 * `npm run mutations`.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { script } from '../../support/script.ts';
import { presentCode, silenceReplays } from '../saved-histories.ts';
import { workflowCode } from './commands.ts';
import { equivalence } from './equivalent.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { Judge, type Verdict } from './verdict.ts';

/** The share of mutants that must be caught, of those that change anything. */
const wanted = 0.95;

const { only } = script(
  'mutations',
  'Do the saved histories notice changes that would break workflows that run?',
)
  .option('--only <word>', 'judge the mutants that have it in their name', '')
  .parse()
  .opts<{ only: string }>();
const code = workflowCode();
const mutants = mutantsOf(code).filter(({ name }) => name.includes(only));

// A module that is swapped unchanged must change nothing, or every mutant would be caught.
silenceReplays();
const judge = new Judge(await presentCode());
for (const path of new Set(mutants.map((mutant) => mutant.path))) {
  const same = mutants.find((mutant) => mutant.path === path);
  const source = code.modules.find(({ fileName }) => fileName.endsWith(`/${path}`));
  if (same === undefined || source === undefined) continue;
  const { caughtBy } = await judge.judge({ ...same, text: source.text });
  if (caughtBy !== null) throw new Error(`${caughtBy} does not replay on ${path} as it is`);
}

const verdicts = new Map<Mutant, Verdict>();
const waiting = [...mutants];
const processes = Math.min(availableParallelism(), waiting.length);
await Promise.all(Array.from({ length: processes }, judgeAll));
process.exitCode = summarize() ? 0 : 1;

async function judgeAll(): Promise<void> {
  let judging: ChildProcess | null = null;
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    judging ??= await start();
    const verdict = await verdictOf(judging, mutant);
    if (judging.exitCode !== null || judging.signalCode !== null) judging = null;
    verdicts.set(mutant, verdict);
    if (verdict.caughtBy === null && equivalence(mutant.name) === null)
      console.log(`survived: ${mutant.name}`);
    if (verdicts.size % 25 === 0) console.log(`${String(verdicts.size)} of ${String(mutants.length)}`);
  }
  judging?.disconnect();
}

async function start(): Promise<ChildProcess> {
  // A mutant that sends commands for ever ends its process before it takes the machine's memory.
  const judging = fork(join(import.meta.dirname, 'judging-process.ts'), {
    execArgv: ['--max-old-space-size=1500'],
  });
  await once(judging, 'message');
  return judging;
}

async function verdictOf(judging: ChildProcess, mutant: Mutant): Promise<Verdict> {
  const settled = new AbortController();
  const { signal } = settled;
  const told = once(judging, 'message', { signal }).then(([verdict]) => verdict as Verdict);
  const ended = once(judging, 'exit', { signal }).then(() => ({
    caughtBy: 'the end of its process',
    differs: false,
  }));
  judging.send(mutant);
  try {
    return await Promise.race([told, ended]);
  } finally {
    settled.abort();
    await Promise.allSettled([told, ended]);
  }
}

/** Are enough of the mutants caught, and is what is held to be equivalent not? */
function summarize(): boolean {
  const named = [...verdicts].map(([{ name }, verdict]) => ({ name, ...verdict, reason: equivalence(name) }));
  const equivalent = named.filter(({ reason }) => reason !== null);
  const changing = named.filter(({ reason }) => reason === null);
  const caught = changing.filter(({ caughtBy }) => caughtBy !== null);
  console.log('\nEquivalent, since they send the same commands in any run:');
  for (const { name, reason } of equivalent) console.log(`  ${name}: ${reason ?? ''}`);
  const wrong = equivalent.filter(({ caughtBy }) => caughtBy !== null);
  for (const { name, caughtBy } of wrong)
    console.log(`NOT equivalent, since ${caughtBy ?? ''} differs: ${name}`);
  console.log('\nSurvivors:');
  for (const { name } of changing.filter(({ caughtBy }) => caughtBy === null)) console.log(`  ${name}`);
  const share = caught.length / Math.max(1, changing.length);
  const atOnce = caught.filter(({ differs }) => !differs).length;
  console.log(
    `\n${String(mutants.length)} mutants, ${String(equivalent.length)} of them equivalent; of the other ` +
      `${String(changing.length)} the saved histories catch ${String(caught.length)} (${(100 * share).toFixed(1)} %), ` +
      `${String(atOnce)} of them since their code fails.`,
  );
  return share >= wanted && wrong.length === 0;
}
