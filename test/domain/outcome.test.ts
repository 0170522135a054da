import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchFaults, type FetchFault } from '../../domain/fault.ts';
import { judgeAnswer, maxRedirects, type Answer, type History, type Outcome } from '../../domain/outcome.ts';
import { troubleClasses } from '../../domain/trouble.ts';

type Response = Extract<Answer, { kind: 'response' }>;

const hour = 3_600_000;
const fresh: History = { tries: 0, hops: 0, hostFailures: 0, outage: { begins: false, waitMs: hour } };
const ok: Response = {
  kind: 'response',
  status: 200,
  truncated: false,
  retryAfterMs: null,
  wanted: true,
  hasTarget: false,
};
const respond = (answer: Partial<Response>, history: Partial<History> = {}): Outcome =>
  judgeAnswer({ ...ok, ...answer }, { ...fresh, ...history });
const fail = (fault: FetchFault, history: Partial<History> = {}): Outcome =>
  judgeAnswer({ kind: 'fault', fault }, { ...fresh, ...history });

const well = { trouble: null, slower: false, counts: false };

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
    expect(respond({ truncated: 'incomplete' }).url).toEqual({
      state: 'queued',
      reason: 'reset',
      inMs: 5_000,
    });
    expect(respond({ truncated: 'incomplete' }, { tries: 1 }).url).toEqual({
      state: 'queued',
      reason: 'reset',
      inMs: 20_000,
    });
    expect(respond({ truncated: 'incomplete' }, { tries: 2 }).url).toEqual({
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
    expect(respond({ status: 301, wanted: false, hasTarget: true }).url).toMatchObject({
      reason: 'redirect',
    });
  });
});

describe('3xx (RFC 9110 §15.4; design.md §6, "redirects")', () => {
  it.each([301, 302, 303, 307, 308])('%i with a target is done', (status) => {
    expect(respond({ status, hasTarget: true })).toEqual({
      url: { state: 'done', reason: 'redirect', body: false },
      host: well,
    });
  });

  it('304 brings no body (RFC 9110 §15.4.5)', () => {
    expect(respond({ status: 304 }).url).toEqual({ state: 'done', reason: 'not-modified', body: false });
    expect(respond({ status: 304, hasTarget: true }).url).toMatchObject({ reason: 'not-modified' });
  });

  it('a 304 for what is of an unwanted type takes nothing over', () => {
    expect(respond({ status: 304, wanted: false }).url).toEqual({
      state: 'excluded',
      reason: 'content-type',
    });
  });

  it('leads nowhere without a target', () => {
    expect(respond({ status: 302 })).toEqual({
      url: { state: 'failed', reason: 'bad-redirect' },
      host: well,
    });
  });

  it('follows five hops and no sixth', () => {
    expect(maxRedirects).toBe(5);
    expect(respond({ status: 301, hasTarget: true }, { hops: 4 }).url.state).toBe('done');
    expect(respond({ status: 301, hasTarget: true }, { hops: 5 }).url).toEqual({
      state: 'failed',
      reason: 'too-many-redirects',
    });
  });
});

describe('4xx (RFC 9110 §15.5; design.md §6)', () => {
  it.each([404, 410, 451])('%i is dead, no retry', (status) => {
    expect(respond({ status })).toEqual({ url: { state: 'dead', reason: 'gone' }, host: well });
  });

  it.each([401, 403])('%i is not retried', (status) => {
    expect(respond({ status })).toEqual({ url: { state: 'failed', reason: 'forbidden' }, host: well });
  });

  it.each([400, 402, 405, 408, 418, 421, 425, 431, 499])(
    '%i is requeued once with a delay, then failed',
    (status) => {
      expect(respond({ status })).toEqual({
        url: { state: 'queued', reason: 'client-error', inMs: 10_000 },
        host: well,
      });
      expect(respond({ status }, { tries: 1 })).toEqual({
        url: { state: 'failed', reason: 'client-error' },
        host: well,
      });
    },
  );
});

describe('429 and 503 (RFC 6585 §4; RFC 9110 §15.6.4, §10.2.3)', () => {
  it.each([429, 503])('%i slows the host down and keeps the URL', (status) => {
    const { url, host } = respond({ status });
    expect(url).toEqual({ state: 'queued', reason: 'overloaded', inMs: 0 });
    expect(host).toEqual({ trouble: { class: 'overloaded', waitMs: 5_000 }, slower: true, counts: true });
  });

  it('honours Retry-After where it asks for more than the backoff', () => {
    expect(respond({ status: 503, retryAfterMs: 6 * hour }).host.trouble?.waitMs).toBe(6 * hour);
    expect(respond({ status: 429, retryAfterMs: 10 }, { hostFailures: 2 }).host.trouble?.waitMs).toBe(20_000);
    expect(respond({ status: 429, retryAfterMs: 0 }).host.trouble?.waitMs).toBe(5_000);
  });

  it('is never the URL’s fault, however often it was tried', () => {
    expect(respond({ status: 503 }, { tries: 100, hostFailures: 100 }).url.state).toBe('queued');
  });
});

describe('other 5xx (RFC 9110 §15.6; design.md §6, "5xx")', () => {
  it('backs the URL off, and counts for the host', () => {
    expect(respond({ status: 500 })).toEqual({
      url: { state: 'queued', reason: 'server-error', inMs: 5_000 },
      host: { trouble: null, slower: false, counts: true },
    });
    expect(respond({ status: 502 }, { tries: 1 }).url).toMatchObject({ inMs: 20_000 });
    expect(respond({ status: 504 }, { tries: 2 }).url).toEqual({
      state: 'failed',
      reason: 'server-error',
    });
  });

  it('five within a day: the host is down, for as long as its outages ask', () => {
    const down = (begins: boolean, waitMs: number, hostFailures = 0) =>
      respond({ status: 500 }, { hostFailures, outage: { begins, waitMs } }).host.trouble;
    expect(down(false, hour)).toBeNull();
    expect(down(true, hour)).toEqual({ class: 'server-errors', waitMs: hour });
    expect(down(true, 8 * hour)).toEqual({ class: 'server-errors', waitMs: 8 * hour });
  });

  it('a failure in a row of five is an outage too, whatever the others were', () => {
    const inARow = (hostFailures: number) => respond({ status: 500 }, { hostFailures }).host.trouble;
    expect(inARow(3)).toBeNull();
    expect(inARow(4)).toEqual({ class: 'server-errors', waitMs: hour });
  });
});

describe('faults (design.md §6, "timeouts, DNS, connect")', () => {
  it.each(['dns-not-found', 'dns-unavailable', 'connect-refused', 'connect-timeout', 'tls'] as const)(
    '%s is the host’s trouble: the URL waits',
    (fault) => {
      const { url, host } = fail(fault, { tries: 50 });
      expect(url).toEqual({ state: 'queued', reason: fault, inMs: 0 });
      expect(host).toMatchObject({ trouble: { class: fault }, slower: false, counts: true });
    },
  );

  it('a timeout is both: the host backs off, the URL has three tries', () => {
    expect(fail('timeout', { hostFailures: 1 })).toEqual({
      url: { state: 'queued', reason: 'timeout', inMs: 5_000 },
      host: { trouble: { class: 'timeout', waitMs: 10_000 }, slower: false, counts: true },
    });
    expect(fail('timeout', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'timeout' });
  });

  it('a broken connection counts for the host and stops nothing', () => {
    expect(fail('reset').host).toEqual({ trouble: null, slower: false, counts: true });
    expect(fail('reset', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'reset' });
  });

  it('what is not HTTP is the URL’s own', () => {
    expect(fail('protocol').host).toEqual(well);
    expect(fail('protocol', { tries: 2 }).url).toEqual({ state: 'failed', reason: 'protocol' });
  });

  it('a guarded address is excluded without another try', () => {
    expect(fail('address-refused')).toEqual({
      url: { state: 'excluded', reason: 'address-refused' },
      host: well,
    });
  });
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
      hasTarget: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('fault' as const), fault: fc.constantFrom(...fetchFaults) }),
  );
  const anyHistory: fc.Arbitrary<History> = fc.record({
    tries: fc.nat({ max: 50 }),
    hops: fc.nat({ max: 20 }),
    hostFailures: fc.nat({ max: 50 }),
    outage: fc.record({ begins: fc.boolean(), waitMs: fc.integer({ min: hour, max: 24 * hour }) }),
  });

  it('waits a finite, positive time at a host in trouble, counts it, and names its class', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { trouble, counts } = judgeAnswer(answer, history).host;
        if (trouble === null) return;
        expect(counts).toBe(true);
        expect(trouble.waitMs > 0 && Number.isFinite(trouble.waitMs)).toBe(true);
        expect(troubleClasses).toContain(trouble.class);
      }),
    );
  });

  it('tries no URL more than three times for trouble of its own', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { url, host } = judgeAnswer(answer, { ...history, tries: 2 });
        if (url.state === 'queued') expect(host.trouble).not.toBeNull();
      }),
    );
  });

  it('stores a body only of a whole 2xx response', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const { url } = judgeAnswer(answer, history);
        const whole =
          answer.kind === 'response' &&
          answer.status >= 200 &&
          answer.status < 300 &&
          answer.wanted &&
          answer.truncated === false;
        expect(url.state === 'done' && url.body).toBe(whole);
      }),
    );
  });

  it('slows down only where the host complained', () => {
    fc.assert(
      fc.property(anyAnswer, anyHistory, (answer, history) => {
        const complained = answer.kind === 'response' && (answer.status === 429 || answer.status === 503);
        expect(judgeAnswer(answer, history).host.slower).toBe(complained);
      }),
    );
  });
});
