import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noSigns, noteFailing, signOf, suspicionOf, type Suspicion } from '../../domain/blame.ts';
import { fetchFaults, type FetchFault } from '../../domain/fault.ts';
import { judgeAnswer, type Answer, type History, type Outcome } from '../../domain/outcome.ts';
import { troubleClasses } from '../../domain/trouble.ts';

type Response = Extract<Answer, { kind: 'response' }>;

const hour = 3_600_000;
/** The first failure of a host that has answered well. */
const first: Suspicion = { inARow: 1, knownBad: false, othersComplained: false, well: true, alone: false };
const fresh: History = {
  tries: 0,
  hops: 0,
  maxRedirects: 5,
  hostFailures: 0,
  suspicion: first,
  outageMs: hour,
  isShared: false,
};
const ok: Response = {
  kind: 'response',
  status: 200,
  truncated: false,
  retryAfterMs: null,
  wanted: true,
  location: 'none',
  hasBody: true,
};
const respond = (answer: Partial<Response>, history: Partial<History> = {}): Outcome =>
  judgeAnswer({ ...ok, ...answer }, { ...fresh, ...history });
const fail = (fault: FetchFault, history: Partial<History> = {}): Outcome =>
  judgeAnswer({ kind: 'fault', fault }, { ...fresh, ...history });

const well = { trouble: null, complaint: null, sign: 'well' };
const ill = { trouble: null, complaint: null, sign: 'ill' };
const again = (reason: string, inMs: number) => ({ state: 'queued', reason, inMs, own: true, behind: true });

describe('2xx (RFC 9110 §15.3)', () => {
  it.each([200, 201, 203, 204, 206, 299])('%i is fetched', (status) => {
    expect(respond({ status })).toEqual({
      url: { state: 'done', reason: 'fetched', body: true },
      host: well,
    });
  });

  it('a body over the limit is excluded: it will not be shorter next time', () => {
    expect(respond({ truncated: 'too-large' })).toEqual({
      url: { state: 'excluded', reason: 'too-large' },
      host: well,
    });
  });

  it('a coding that cannot be undone is the page’s own failure', () => {
    expect(respond({ truncated: 'bad-encoding' })).toEqual({
      url: { state: 'failed', reason: 'bad-encoding' },
      host: well,
    });
  });

  it('a body that broke off is tried three times in all', () => {
    const { url, host } = respond({ truncated: 'incomplete' });
    expect({ url, host }).toEqual({ url: again('reset', 5_000), host: ill });
    expect(respond({ truncated: 'incomplete' }, { tries: 1 }).url).toEqual(again('reset', 20_000));
    expect(respond({ truncated: 'incomplete' }, { tries: 2 })).toEqual({
      url: { state: 'done', reason: 'fetched', body: true },
      host: well,
    });
  });

  it('of which no byte ever came is failed', () => {
    expect(respond({ truncated: 'incomplete', hasBody: false }, { tries: 2 }).url).toEqual({
      state: 'failed',
      reason: 'reset',
    });
  });
});

describe('a media type that the crawl does not take (RFC 9110 §8.3)', () => {
  it.each([200, 203, 206])('%i is excluded, whole or not', (status) => {
    for (const truncated of [false, 'too-large', 'incomplete'] as const)
      expect(respond({ status, wanted: false, truncated })).toEqual({
        url: { state: 'excluded', reason: 'content-type' },
        host: well,
      });
  });

  it('says nothing of errors and redirects', () => {
    expect(respond({ status: 404, wanted: false }).url).toEqual({ state: 'dead', reason: 'gone' });
    expect(respond({ status: 500, wanted: false }).url.state).toBe('queued');
    expect(respond({ status: 301, wanted: false, location: 'target' }).url).toMatchObject({
      reason: 'redirect',
    });
  });
});

describe('3xx (RFC 9110 §15.4; docs/design.md, "Politeness")', () => {
  it.each([301, 302, 303, 307, 308])('%i with a target is done', (status) => {
    expect(respond({ status, location: 'target' })).toEqual({
      url: { state: 'done', reason: 'redirect', body: false },
      host: well,
    });
  });

  it('304 brings no body (RFC 9110 §15.4.5)', () => {
    expect(respond({ status: 304 }).url).toEqual({ state: 'done', reason: 'not-modified', body: false });
    expect(respond({ status: 304, location: 'target' }).url).toMatchObject({ reason: 'not-modified' });
  });

  it('a 304 for what is of an unwanted type takes nothing over', () => {
    expect(respond({ status: 304, wanted: false }).url).toEqual({
      state: 'excluded',
      reason: 'content-type',
    });
  });

  it('leads nowhere where Location is no URL that can be fetched', () => {
    expect(respond({ status: 302, location: 'astray' })).toEqual({
      url: { state: 'failed', reason: 'bad-redirect' },
      host: well,
    });
  });

  it.each([300, 301, 302, 303, 307])('%i without Location is an answer like any other', (status) => {
    expect(respond({ status }).url).toEqual({ state: 'done', reason: 'fetched', body: true });
    expect(respond({ status, wanted: false }).url).toEqual({ state: 'excluded', reason: 'content-type' });
  });

  it.each([0, 5, 10])('follows as many as the crawl says, %i, and no more', (maxRedirects) => {
    const answered = { status: 301, location: 'target' } as const;
    if (maxRedirects > 0)
      expect(respond(answered, { hops: maxRedirects - 1, maxRedirects }).url.state).toBe('done');
    expect(respond(answered, { hops: maxRedirects, maxRedirects }).url).toEqual({
      state: 'failed',
      reason: 'too-many-redirects',
    });
  });
});

describe('4xx (RFC 9110 §15.5; docs/design.md, "Politeness")', () => {
  it.each([404, 410, 451])('%i is dead, no retry', (status) => {
    expect(respond({ status })).toEqual({ url: { state: 'dead', reason: 'gone' }, host: well });
  });

  it.each([401, 403])('%i is not retried', (status) => {
    expect(respond({ status })).toEqual({ url: { state: 'failed', reason: 'forbidden' }, host: well });
  });

  it.each([400, 405, 413, 414, 415, 422, 431])('%i complains of the request itself: no retry', (status) => {
    expect(respond({ status })).toEqual({ url: { state: 'failed', reason: 'client-error' }, host: well });
  });

  it('501 will not be implemented by tomorrow: no retry', () => {
    expect(respond({ status: 501 })).toEqual({
      url: { state: 'failed', reason: 'server-error' },
      host: well,
    });
  });

  it.each([402, 408, 418, 421, 425, 499])('%i is requeued once with a delay, then failed', (status) => {
    expect(respond({ status })).toEqual({ url: again('client-error', 10_000), host: well });
    expect(respond({ status, retryAfterMs: hour }).url).toEqual(again('client-error', hour));
    expect(respond({ status }, { tries: 1 })).toEqual({
      url: { state: 'failed', reason: 'client-error' },
      host: well,
    });
  });
});

describe('429 and 503 (RFC 6585 §4; RFC 9110 §15.6.4, §10.2.3)', () => {
  const overloaded = (waitMs: number) => ({ class: 'overloaded', waitMs });
  const suspected = (suspicion: Partial<Suspicion>) => ({ suspicion: { ...first, ...suspicion } });

  it.each([429, 503])(
    '%i of a second URL is the host’s: it is left alone, and no URL is blamed',
    (status) => {
      for (const signs of [{ inARow: 2 }, { othersComplained: true }, { well: false }]) {
        const { url, host } = respond({ status, retryAfterMs: hour }, suspected(signs));
        expect(url).toEqual({ ...again('overloaded', hour), own: false });
        expect(host).toEqual({
          trouble: overloaded(hour),
          complaint: { pauseMs: hour, mild: false },
          sign: 'ill',
        });
      }
    },
  );

  it.each([null, 0])(
    '503 of one URL that names no time is its own where the host is well',
    (retryAfterMs) => {
      const { url, host } = respond({ status: 503, retryAfterMs });
      expect(url).toEqual(again('overloaded', 5_000));
      expect(host).toMatchObject({ trouble: null, complaint: { mild: true }, sign: 'ill' });
    },
  );

  it.each([429, 503])(
    'the first %i of a URL with Retry-After is obeyed by all, a further one by the URL',
    (status) => {
      expect(respond({ status, retryAfterMs: hour })).toEqual({
        url: again('overloaded', hour),
        host: { trouble: overloaded(hour), complaint: { pauseMs: hour, mild: true }, sign: 'ill' },
      });
      expect(respond({ status, retryAfterMs: hour }, { tries: 1 }).host.trouble).toBeNull();
    },
  );

  it('429 speaks of the client: it is obeyed by all though it names no time', () => {
    expect(respond({ status: 429 }).host.trouble).toEqual(overloaded(5_000));
  });

  it.each([429, 503])('%i of a URL that is known to be bad says nothing of the host', (status) => {
    const { url, host } = respond(
      { status },
      suspected({ inARow: 0, knownBad: true, othersComplained: true }),
    );
    expect(url).toEqual(again('overloaded', 5_000));
    expect(host).toEqual({ trouble: null, complaint: null, sign: 'none' });
  });

  it('gives a URL five tries of its own', () => {
    expect(respond({ status: 503 }, { tries: 3 }).url).toEqual(again('overloaded', 320_000));
    expect(respond({ status: 503 }, { tries: 4 }).url).toEqual({ state: 'failed', reason: 'overloaded' });
  });

  it('waits as the host asks, and longer only where that was too little', () => {
    const waitMs = (retryAfterMs: number | null, hostFailures: number) =>
      respond({ status: 503, retryAfterMs }, { ...suspected({ inARow: 2 }), hostFailures }).host.trouble
        ?.waitMs;
    expect(waitMs(2_000, 0)).toBe(2_000);
    expect(waitMs(0, 0)).toBe(1_000);
    expect(waitMs(6 * hour, 3)).toBe(6 * hour);
    expect(waitMs(2_000, 3)).toBe(20_000);
    expect(waitMs(null, 0)).toBe(5_000);
    expect(waitMs(null, 2)).toBe(20_000);
  });
});

describe('other 5xx (RFC 9110 §15.6; docs/design.md, "Politeness")', () => {
  it('backs the URL off, for as long as it asks (RFC 9110 §10.2.3)', () => {
    expect(respond({ status: 500 })).toEqual({ url: again('server-error', 5_000), host: ill });
    expect(respond({ status: 502 }, { tries: 1 }).url).toEqual(again('server-error', 20_000));
    expect(respond({ status: 500, retryAfterMs: hour }).url).toEqual(again('server-error', hour));
    expect(respond({ status: 504 }, { tries: 2 }).url).toEqual({ state: 'failed', reason: 'server-error' });
  });

  it('five different URLs in a row: the host is down, for as long as its outages ask', () => {
    const down = (inARow: number) =>
      respond({ status: 500 }, { suspicion: { ...first, inARow }, outageMs: 8 * hour }).host.trouble;
    expect(down(4)).toBeNull();
    expect(down(5)).toEqual({ class: 'server-errors', waitMs: 8 * hour });
  });

  it('the host that asks for longer is left alone for longer', () => {
    const asked = { suspicion: { ...first, inARow: 5 }, outageMs: hour };
    expect(respond({ status: 502, retryAfterMs: 9 * hour }, asked).host.trouble?.waitMs).toBe(9 * hour);
    expect(respond({ status: 502, retryAfterMs: 1_000 }, asked).host.trouble?.waitMs).toBe(hour);
  });
});

describe('trouble that URLs of one tenant alone have shown', () => {
  const alone = (signs: Partial<Suspicion>, isShared = true): Partial<History> => ({
    ...{ suspicion: { ...first, alone: true, ...signs }, isShared, hostFailures: 1, tries: 1 },
  });

  it.each<[string, Outcome, Outcome['host']['trouble']]>([
    ['five 5xx', respond({ status: 500 }, alone({ inARow: 5 })), { class: 'server-errors', waitMs: hour, forAllMs: 0 }],
    ['five 5xx, the last with Retry-After', respond({ status: 500, retryAfterMs: 9_000 }, alone({ inARow: 5 })), { class: 'server-errors', waitMs: hour, forAllMs: 9_000 }],
    ['broken connections', fail('reset', alone({ inARow: 5 })), { class: 'reset', waitMs: 10_000, forAllMs: 0 }],
    ['requests that hang', fail('timeout', alone({ inARow: 2 })), { class: 'timeout', waitMs: 10_000, forAllMs: 0 }],
    ['503 of two', respond({ status: 503 }, alone({ inARow: 2 })), { class: 'overloaded', waitMs: 10_000, forAllMs: 0 }],
    ['429 of one', respond({ status: 429 }, { ...alone({}), tries: 0 }), { class: 'overloaded', waitMs: 10_000, forAllMs: 0 }],
    ['503 of two with Retry-After', respond({ status: 503, retryAfterMs: hour }, alone({ inARow: 2 })), { class: 'overloaded', waitMs: hour, forAllMs: hour }],
    ['no connection', fail('connect-refused', alone({})), { class: 'connect-refused', waitMs: 4_000 }],
  ])('is for all as far as an answer asked for it: %s', (_, { host }, trouble) => {
    expect(host.trouble).toEqual(trouble);
  }); // prettier-ignore

  it('uses up the tries of its URLs where the host cannot park for it', () => {
    const twice = (isShared: boolean) => respond({ status: 503 }, alone({ inARow: 2 }, isShared));
    expect(twice(true)).toMatchObject({ url: { own: true }, host: { complaint: { mild: true } } });
    expect(twice(false)).toMatchObject({ url: { own: false }, host: { complaint: { mild: false } } });
    const last = { ...alone({ inARow: 2 }), tries: 4 };
    expect(respond({ status: 503 }, last).url).toEqual({ state: 'failed', reason: 'overloaded' });
  });
});

describe('whose URLs have failed', () => {
  const names = ['a', 'b', 'c', 'd'];
  it('counts no URL twice, and knows whether one tenant is alone', () => {
    const two = names.reduce((signs, name) => noteFailing(signs, signOf(name, 7), false), noSigns);
    const same = noteFailing(two, signOf('d', 8), true);
    expect(suspicionOf(two, signOf('e', 7), false, 0)).toMatchObject({ inARow: 5, alone: true });
    expect(suspicionOf(two, signOf('e', 8), false, 0)).toMatchObject({ inARow: 5, alone: false });
    expect(suspicionOf(two, signOf('a', 8), true, 0)).toMatchObject({
      inARow: 4,
      knownBad: false,
      alone: false,
    });
    expect(suspicionOf(same, signOf('e', 7), false, 0)).toMatchObject({ inARow: 5, alone: false });
    expect(suspicionOf(same, signOf('d', 7), false, 0).othersComplained).toBe(false);
  });

  it('is not known of what was noted without a tenant', () => {
    const old = noteFailing(noSigns, 'a', false);
    expect(suspicionOf(old, signOf('b', 7), false, 0)).toMatchObject({ inARow: 2, alone: false });
  });
});

describe('faults', () => {
  it.each(['dns-not-found', 'dns-unavailable', 'connect-refused', 'connect-timeout', 'tls'] as const)(
    '%s is the host’s trouble: the URL waits, in its place',
    (fault) => {
      const { url, host } = fail(fault, { tries: 50 });
      expect(url).toEqual({ state: 'queued', reason: fault, inMs: 0, own: false, behind: false });
      expect(host).toMatchObject({ trouble: { class: fault }, complaint: null, sign: 'none' });
    },
  );

  it('a timeout is the URL’s own, until a second URL hangs or nothing vouches for the host', () => {
    expect(fail('timeout')).toEqual({ url: again('timeout', 5_000), host: ill });
    for (const signs of [{ inARow: 2 }, { well: false }])
      expect(fail('timeout', { hostFailures: 1, suspicion: { ...first, ...signs } })).toEqual({
        url: again('timeout', 5_000),
        host: { trouble: { class: 'timeout', waitMs: 10_000 }, complaint: null, sign: 'ill' },
      });
    expect(fail('timeout', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'timeout' });
  });

  it('connections that break are the host’s trouble after five URLs in a row', () => {
    expect(fail('reset').host).toEqual(ill);
    expect(fail('reset', { suspicion: { ...first, inARow: 5 } }).host.trouble).toMatchObject({
      class: 'reset',
    });
    expect(fail('reset', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'reset' });
  });

  it('what is not HTTP is the URL’s own, and says nothing of the host', () => {
    expect(fail('protocol').host).toEqual({ ...ill, sign: 'none' });
    expect(fail('protocol', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'protocol' });
  });

  it('a guarded address is excluded without another try', () => {
    expect(fail('address-refused')).toEqual({
      url: { state: 'excluded', reason: 'address-refused' },
      host: well,
    });
  });
});

const anyHistory: fc.Arbitrary<History> = fc.record({
  tries: fc.nat({ max: 50 }),
  hops: fc.nat({ max: 20 }),
  maxRedirects: fc.nat({ max: 10 }),
  hostFailures: fc.nat({ max: 50 }),
  suspicion: fc.record({
    inARow: fc.nat({ max: 5 }),
    knownBad: fc.boolean(),
    othersComplained: fc.boolean(),
    well: fc.boolean(),
    alone: fc.boolean(),
  }),
  outageMs: fc.integer({ min: hour, max: 24 * hour }),
  isShared: fc.boolean(),
});

describe('judgeAnswer, whatever comes', () => {
  const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({
      kind: fc.constant('response' as const),
      status: fc.integer({ min: 100, max: 999 }),
      truncated: fc.constantFrom(
        false as const,
        'too-large' as const,
        'incomplete' as const,
        'bad-encoding' as const,
      ),
      retryAfterMs: fc.option(fc.nat({ max: 30 * 24 * hour })),
      wanted: fc.boolean(),
      location: fc.constantFrom('target' as const, 'astray' as const, 'none' as const),
      hasBody: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('fault' as const), fault: fc.constantFrom(...fetchFaults) }),
  );
  it('waits a finite, positive time at a host in trouble, and names its class', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { trouble, sign } = judgeAnswer(answer, history).host;
        if (trouble === null) return;
        expect(sign).not.toBe('well');
        expect(trouble.waitMs > 0 && Number.isFinite(trouble.waitMs)).toBe(true);
        expect(troubleClasses).toContain(trouble.class);
      }),
    );
  });

  it('tries no URL more than five times for trouble of its own', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { url, host } = judgeAnswer(answer, { ...history, tries: 4 });
        if (url.state === 'queued') expect(host.trouble).not.toBeNull();
      }),
    );
  });

  it('stores a body only of a 2xx, or of a 3xx that leads nowhere, that is whole or has broken off each time', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { url } = judgeAnswer(answer, history);
        if (answer.kind === 'fault') {
          expect(url.state).not.toBe('done');
          return;
        }
        const { status, wanted, location, truncated, hasBody } = answer;
        const isPage =
          (status >= 200 && status < 300) ||
          (status >= 300 && status < 400 && status !== 304 && location === 'none');
        const isAll = truncated === false || (truncated === 'incomplete' && hasBody && history.tries >= 2);
        expect(url.state === 'done' && url.body).toBe(isPage && wanted && isAll);
      }),
    );
  });

  it('slows down only where the host complained', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const complained = answer.kind === 'response' && (answer.status === 429 || answer.status === 503);
        if (!complained) expect(judgeAnswer(answer, history).host.complaint).toBeNull();
      }),
    );
  });
});

describe('a request with a session that is asked to log in', () => {
  const silent = { trouble: null, complaint: null, sign: 'none' };

  it('is tried after the others while the session may hold, and costs the URL a try', () => {
    const { url, host } = respond({ status: 401, loggedOut: 'behind' });
    expect({ url, host }).toEqual({ url: again('session-ended', 5_000), host: silent });
  });

  it.each([401, 200, 302, 403])(
    'waits for another session once that is over, and blames nobody: %i',
    (status) => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          const { url, host } = respond({ status, loggedOut: 'over' }, history);
          expect(url).toEqual({ ...again('session-ended', 0), own: false, behind: false });
          expect(host).toEqual(silent);
        }),
      );
    },
  );
});
