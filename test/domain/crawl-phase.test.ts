import { describe, expect, it } from 'vitest';
import type { CrawlStands, CrawlState, NumberedStands } from '../../domain/crawl-life.ts';
import {
  endOf,
  firstPhase,
  isAnswered,
  next,
  refusalOf,
  type CrawlCommand,
  type CrawlEvent,
  type CrawlPhase,
} from '../../domain/crawl-phase.ts';

const run: CrawlCommand = { what: 'run' };
const pause: CrawlCommand = { what: 'pause', cause: 'asked', reason: 'the site is being moved' };
const cancel: CrawlCommand = { what: 'cancel', reason: 'a mistake' };

const stands = (state: CrawlState, over: Partial<CrawlStands> = {}): NumberedStands => ({
  state,
  cause: null,
  reason: null,
  revision: 3,
  ...over,
});
/** A crawl that runs as it was asked to. */
const running: CrawlPhase = { at: 'open', stands: stands('running'), command: run, isObeyed: true };

describe('the phase of a crawl', () => {
  const paused = stands('paused', { cause: 'quota', reason: 'bodies' });
  const shut = stands('paused', { cause: 'complete', reason: 'odd' });
  const ending: CrawlPhase = { ...running, at: 'ending' };
  it.each<[string, Partial<CrawlPhase>, CrawlEvent, Partial<CrawlPhase>]>([
    ['is open once Postgres was asked', firstPhase, { kind: 'found', stands: stands('running') }, { at: 'open', stands: stands('running') }],
    ['keeps a command that came before that', { ...firstPhase, command: cancel }, { kind: 'found', stands: stands('running') }, { at: 'open', stands: stands('running') }],
    ['stays paused where others paused it', {}, { kind: 'found', stands: paused }, { stands: paused, isObeyed: false, command: { what: 'pause', cause: 'quota', reason: 'bodies' } }],
    ['is paused as asked for, whatever else is the cause', {}, { kind: 'found', stands: shut }, { stands: shut, isObeyed: false, command: { what: 'pause', cause: 'asked', reason: 'odd' } }],
    ['keeps its own command where it is paused', { command: pause }, { kind: 'found', stands: paused }, { stands: paused }],
    ['keeps its command where a change finds it paused', {}, { kind: 'changed', stands: paused }, { stands: paused }],
    ['goes on ending through changes', ending, { kind: 'changed', stands: stands('draining') }, { stands: stands('draining') }],
    ['is open again where it is found going on', ending, { kind: 'found', stands: stands('running') }, { at: 'open' }],
    ['has a new command to obey', {}, { kind: 'asked', command: pause }, { command: pause, isObeyed: false }],
    ['has a command of the same words to obey', {}, { kind: 'asked', command: { what: 'run' } }, { isObeyed: false }],
    ['has obeyed', { isObeyed: false }, { kind: 'obeyed', command: run }, { isObeyed: true }],
    ['has not obeyed the command that came meanwhile', { command: pause, isObeyed: false }, { kind: 'obeyed', command: run }, {}],
    ['has still obeyed when an older command is done', {}, { kind: 'obeyed', command: pause }, {}],
    ['ends', {}, { kind: 'ends' }, { at: 'ending' }],
    ['ends anew', { at: 'reopened' }, { kind: 'ends' }, { at: 'ending' }],
    ['goes on if it has work again while it ends', ending, { kind: 'reopens' }, { at: 'reopened' }],
    ['knows of its work anyway while it is open', {}, { kind: 'reopens' }, {}],
    ['is asked of Postgres anyway before it is known', firstPhase, { kind: 'reopens' }, {}],
  ])('%s', (_, before, event, after) => {
    const phase = { ...running, ...before };
    expect(next(phase, event)).toEqual({ ...phase, ...after });
  }); // prettier-ignore
});

it.each<[string, Partial<CrawlPhase>, ReturnType<typeof endOf>]>([
  ['does not end', {}, null],
  ['does not end while it is paused', { stands: stands('paused'), command: pause }, null],
  ['ends when it is cancelled', { command: cancel }, { ending: 'cancelled', reason: 'a mistake' }],
  [
    'goes on ending as it began, whatever is asked',
    { stands: stands('draining', { cause: 'limit:max-pages', reason: 'max-pages' }), command: cancel },
    { ending: 'limit:max-pages', reason: 'max-pages' },
  ],
  [
    'ends as cancelled where no ending is known',
    { stands: stands('draining', { cause: 'asked', reason: 'theirs' }) },
    { ending: 'cancelled', reason: 'theirs' },
  ],
])('a crawl %s', (_, phase, end) => {
  expect(endOf({ ...running, ...phase })).toEqual(end);
});

it.each<[CrawlState, string]>([
  ['seeding', 'pause cancel'],
  ['running', 'run pause cancel'],
  ['paused', 'run pause cancel'],
  ['draining', ''],
  ['finished', ''],
])('a crawl that is %s takes the commands: %s', (state, taken) => {
  const all = [run, pause, cancel];
  const phase = { ...running, stands: stands(state) };
  expect(all.filter((each) => refusalOf(phase, each) === null).map(({ what }) => what).join(' ')).toBe(taken);
  expect(all.filter((each) => refusalOf({ ...phase, command: cancel }, each) === null)).toEqual([]);
  expect(all.filter((each) => refusalOf({ ...phase, at: 'unknown' }, each) !== null)).toEqual([]);
}); // prettier-ignore

it('a command is answered when it is obeyed, another one came, or the crawl is over', () => {
  const asked = { ...running, command: pause, isObeyed: false };
  expect(isAnswered(asked, pause)).toBe(false);
  expect(isAnswered({ ...asked, isObeyed: true }, pause)).toBe(true);
  expect(isAnswered(asked, run)).toBe(true);
  expect(isAnswered({ ...asked, stands: stands('finished') }, pause)).toBe(true);
});
