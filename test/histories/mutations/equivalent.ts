/**
 * Mutants that send the same commands as the code in any run, each with the reason. Where a pattern stands for several
 * names, the reason holds for all code of its form. `main.ts` names them all, and says where one is caught after all.
 */
const shown = 'shows what is shown already: search attributes are sent only when they change';
const details = 'its neighbour only sets details for people, which are no command';
const inOneGo = 'both statements run before anything else can: nothing comes between them';
const again = 'what is done a second time is done already';
const handlers = 'a handler that is registered again, sooner or later, is the same before the first await';
const sameTask =
  'handlers that are open wait only for the state that was just set: they finish in the same workflow task, and the SDK sends the end of a workflow last';
const payload = 'the same command with another payload, which Temporal does not compare either';

const equivalent: readonly (readonly [string | RegExp, string])[] = [
  [/: continueAsNew doubled$/, 'the first one ends the run'],
  [/: (enter|refresh|#stand|#show|#setAttributes)( \(\d\))? doubled$/, shown],
  [/: uncut doubled$/, 'makes a handler twice, and registers one'],
  [/: uncut moved after “setHandler/, handlers],
  [
    /: (hearMessages|listen|#hear)( \(\d\))? (doubled|moved after “(const cancelled|this\.#hear|setHandler))/,
    handlers,
  ],
  [/: #carryOver doubled$/, 'the first one ends the run, or the second finds what the first has found'],
  [
    /^cancelling\.ts heedingCancellation: catch doubled$/,
    `${again}: a pause or a cancellation is asked for twice at once`,
  ],
  [/^host-(state|messages)\.ts .*: (cut|pause|lose|loseVisit|askRetry) doubled$/, again],
  [/^host\.ts host\/cancelled: cancel doubled$/, again],
  [/^visiting\.ts visiting\/(cut|lose): cancel doubled$/, `${again}: a scope is cancelled once`],
  [/^crawl\.ts (ask: cancel|crawl\/cancelled: ask|#carryOut: ask) doubled$/, again],
  [
    /^scheduler\.ts (begin: #run( \(2\))?|scheduler: begin) doubled$/,
    `${again}: a lane that runs is not started`,
  ],
  [/^host-state\.ts (pause|askRetry): cut moved before/, inOneGo],
  [
    /^visiting\.ts visiting\/cut: cancel moved after/,
    'the SDK sends the request to cancel a moment later, in both orders behind the other activity',
  ],
  [
    /^visiting\.ts visiting\/lose: cancel moved before/,
    'the activity ends as cancelled only once the server says so, long after the visit is given up',
  ],
  [/^visiting\.ts visiting: run moved before “host\.visit = /, inOneGo],
  [
    /^host-parking\.ts probe: unpark moved before “host\.carried\.probes\+\+;”$/,
    'the count only says how long a later timer is',
  ],
  [/^host\.ts #visit: enter moved after “host\.woken = false;”$/, inOneGo],
  [/: patched doubled$/, 'a patch is marked once, however often it is asked for'],
  [
    'host.ts work: #stayPaused doubled',
    'the second shows the same, and what ended the first ends it at once',
  ],
  ['scheduler.ts scheduler: feed moved after “ticks++;”', `${payload}: another tick looks for lost hosts`],
  [/^scheduler\.ts scheduler: (begin|condition) moved (after|before) “setCurrentDetails/, details],
  [/^crawl\.ts ask: cancel moved before “this\.#phase = next/, inOneGo],
  [/^crawl\.ts #step: #end moved after “const \{ command/, inOneGo],
  ['crawl.ts #run: #enter moved before “this.#watchMs = firstWatchMs;”', `${payload}: the length of a watch`],
  [
    /^crawl\.ts #run: #end moved after “if \(verdict === 'moved'\)/,
    'shows a crawl that ends once more as running, which it is shown as already',
  ],
  [/^crawl\.ts #run: #show (removed|moved)/, `${shown}; only details change`],
  ['crawl.ts run: condition removed', sameTask],
  [/^crawl\.ts #end: condition (removed|moved)/, sameTask],
  [/^crawl\.ts #lookUp: #stand moved before “this\.#glance/, details],
  [/^crawl\.ts #show: #setAttributes moved after “const \{ namespace/, inOneGo],
];

/** Why a mutant is equivalent; null: it is not known to be. */
export function equivalence(name: string): string | null {
  const found = equivalent.find(([which]) => (typeof which === 'string' ? which === name : which.test(name)));
  return found?.[1] ?? null;
}

/** Entries that fit no mutant, since the code has changed. */
export const staleEquivalences = (names: readonly string[]): readonly string[] =>
  equivalent
    .filter(
      ([which]) => !names.some((name) => (typeof which === 'string' ? which === name : which.test(name))),
    )
    .map(([which]) => String(which));
