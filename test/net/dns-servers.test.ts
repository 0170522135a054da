/**
 * Resolvers that answer, refuse, are slow, deaf, frozen or gone: all of them real, on loopback.
 *
 * @module-tag long
 */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DnsServers, type DnsServersOptions } from '../../net/dns-servers.ts';
import { ResolverFault } from '../../net/resolver.ts';
import { hasDnsmasq, startDnsmasq, startDnsRelay, type Dnsmasq, type DnsRelay } from '../support/dnsmasq.ts';
import { stopClock, until } from './fetching.ts';

const records = [
  'host-record=site.test,192.0.2.1,2001:db8::1,77',
  'host-record=four.test,192.0.2.4,1000',
  'host-record=six.test,2001:db8::6,1000',
  'host-record=two.test,192.0.2.2,500',
  'host-record=two.test,2001:db8::2,90',
  'cname=alias.test,site.test,20',
  'txt-record=text.test,hello',
];

/** Resolvers that have a minute for everything, since those that live may be slow on a busy machine. */
const servers = (own: Partial<DnsServersOptions>, ...addresses: readonly string[]): DnsServers => {
  const made = new DnsServers({
    servers: () => addresses,
    nextAfterMs: 60_000,
    giveUpMs: 60_000,
    replyMs: 60_000,
    ...own,
  });
  onTestFinished(() => made.close());
  return made;
};

const fault = async (question: Promise<unknown>): Promise<ResolverFault> => {
  const error = await question.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ResolverFault) return error;
  throw new Error('no ResolverFault', { cause: error });
};

async function took<T>(question: Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  const result = await question;
  return [result, performance.now() - began];
}

describe.skipIf(!hasDnsmasq())('DNS resolvers (needs dnsmasq)', () => {
  let first: Dnsmasq;
  let second: Dnsmasq;
  beforeEach(async () => {
    [first, second] = await Promise.all([startDnsmasq(records), startDnsmasq(records)]);
  });
  afterEach(async () => {
    await Promise.all([first.close(), second.close()]);
  });
  const relayed = async (to = first): Promise<DnsRelay> => {
    const relay = await startDnsRelay(to.address);
    onTestFinished(() => relay.close());
    return relay;
  };

  describe('one that answers', () => {
    it('gives both kinds of address and the least TTL, that of an alias included', async () => {
      const dns = servers({}, first.address);
      expect(await dns.ask('site.test')).toEqual({
        addresses: [
          { address: '192.0.2.1', family: 4 },
          { address: '2001:db8::1', family: 6 },
        ],
        ttlSeconds: 77,
        partial: false,
      });
      expect(await dns.ask('alias.test')).toMatchObject({ ttlSeconds: 20, partial: false });
      expect(await dns.ask('two.test')).toMatchObject({ addresses: [{}, {}], ttlSeconds: 90 });
      const only = await Promise.all([dns.ask('four.test'), dns.ask('six.test')]);
      expect(only).toEqual([
        { addresses: [{ address: '192.0.2.4', family: 4 }], ttlSeconds: 1000, partial: false },
        { addresses: [{ address: '2001:db8::6', family: 6 }], ttlSeconds: 1000, partial: false },
      ]);
    });

    it('tells a name that does not exist from one without an address, and what is no name is not asked for', async () => {
      const dns = servers({}, first.address);
      expect(await dns.ask('none.test')).toEqual({ absent: 'ENOTFOUND' });
      expect(await dns.ask('text.test')).toEqual({ absent: 'ENODATA' });
      const asked = first.questions().length;
      expect(await dns.ask(`${'x'.repeat(64)}.test`)).toEqual({ absent: 'ENOTFOUND' });
      expect(await dns.ask(`${'a.'.repeat(150)}test`)).toEqual({ absent: 'ENOTFOUND' });
      expect(first.questions().length).toBe(asked);
      expect(second.questions()).toEqual([]);
    });

    it('late is waited for, though it was quick before', async () => {
      const relay = await relayed();
      const dns = servers({ nextAfterMs: 200 }, relay.address);
      for (let times = 0; times < 20; times++) await dns.ask('site.test');
      relay.delayMs = () => 2_500;
      const [answer, ms] = await took(dns.ask('four.test'));
      expect(answer).toMatchObject({ ttlSeconds: 1000 });
      expect(ms).toBeGreaterThan(2_400);
    });

    it('about IPv4 alone is a whole answer; about IPv6 alone it is half of one', async () => {
      const relay = await relayed();
      const dns = servers({}, relay.address);
      relay.delayMs = ({ type }) => (type === 'AAAA' ? null : 0);
      const [four, ms] = await took(dns.ask('site.test'));
      expect(four).toMatchObject({ addresses: [{ family: 4 }], partial: false });
      expect(ms).toBeLessThan(30_000);
      relay.delayMs = ({ type }) => (type === 'A' ? null : 0);
      expect(await dns.ask('site.test')).toMatchObject({ addresses: [{ family: 6 }], partial: true });
    });

    it('that a name does not exist about IPv4 alone says it of IPv6 too (RFC 8020)', async () => {
      const relay = await relayed();
      relay.delayMs = ({ type }) => (type === 'AAAA' ? null : 0);
      expect(await servers({}, relay.address).ask('none.test')).toEqual({ absent: 'ENOTFOUND' });
    });

    it('with a lost packet answers when it is sent again', async () => {
      const relay = await relayed();
      let lost = 0;
      relay.delayMs = () => (lost++ < 2 ? null : 0);
      expect(await servers({ nextAfterMs: 200 }, relay.address).ask('site.test')).toMatchObject({
        ttlSeconds: 77,
      });
    });
  });

  describe('the next one', () => {
    it('steps in at once for one that is gone, and for one that refuses', async () => {
      await first.stop();
      const [answer, ms] = await took(
        servers({ giveUpMs: 120_000 }, first.address, second.address).ask('site.test'),
      );
      expect(answer).toMatchObject({ ttlSeconds: 77 });
      expect(ms).toBeLessThan(30_000);
      await first.restart([]);
      await second.restart(['host-record=elsewhere.example,192.0.2.9']);
      const [other, otherMs] = await took(
        servers({ giveUpMs: 120_000 }, first.address, second.address).ask('elsewhere.example'),
      );
      expect(other).toMatchObject({ addresses: [{ address: '192.0.2.9' }] });
      expect(otherMs).toBeLessThan(30_000);
    });

    it('steps in after a while for one that is frozen, and goes first from then on', async () => {
      const nextAfterMs = 2_000;
      const relays = [await relayed(), await relayed(second)];
      const asked: string[] = [];
      for (const [at, relay] of relays.entries())
        relay.delayMs = ({ type, name }) => {
          if (type === 'A') asked.push(`${name} of ${String(at)}`);
          return 0;
        };
      const dns = servers({ nextAfterMs }, ...relays.map(({ address }) => address));
      first.freeze();
      const [, ms] = await took(dns.ask('site.test'));
      expect(ms).toBeGreaterThan(nextAfterMs - 10);
      await dns.ask('four.test');
      expect(asked.slice(0, 2)).toEqual(['site.test of 0', 'site.test of 1']);
      expect(asked.find((each) => each.startsWith('four.test'))).toBe('four.test of 1');
    });

    it('gives way again once the frozen one has replied to the question that is spared for it', async () => {
      const pass = stopClock();
      const dns = servers({ nextAfterMs: 200, lastForMs: 400 }, first.address, second.address);
      first.freeze();
      const answer = dns.ask('site.test');
      pass(200);
      await answer;
      first.thaw();
      const asked = (name: string) => first.questions().includes(`A ${name}`);
      await until(() => asked('site.test'));
      await dns.ask('four.test');
      expect(asked('four.test')).toBe(false);
      pass(400);
      await dns.ask('six.test');
      expect(asked('six.test')).toBe(true);
      const before = second.questions().length;
      await dns.ask('text.test');
      expect(second.questions().length).toBe(before);
    });

    it('is each of them in its turn but for those that are gone, and then the first again', async () => {
      const deaf = await Promise.all([relayed(), relayed(), relayed()]);
      const order: number[] = [];
      deaf.forEach((relay, at) => {
        relay.delayMs = ({ type }) => {
          if (type === 'A') order.push(at);
          return null;
        };
      });
      await second.stop();
      const [a = '', b = '', c = ''] = deaf.map(({ address }) => address);
      const dns = servers({ nextAfterMs: 100 }, second.address, a, b, c);
      const asked = fault(dns.ask('site.test'));
      await until(() => order.length >= 6);
      dns.close();
      await asked;
      expect(order.slice(0, 6)).toEqual([0, 1, 2, 0, 1, 2]);
    });

    it('is not asked first because the one before it refused a name', async () => {
      await second.restart([...records, 'host-record=elsewhere.example,192.0.2.9']);
      const dns = servers({}, first.address, second.address);
      await dns.ask('elsewhere.example');
      const before = second.questions().length;
      await dns.ask('site.test');
      expect(first.questions()).toContain('A site.test');
      expect(second.questions().length).toBe(before);
    });

    it('is not asked about what the first one knows not to exist', async () => {
      expect(await servers({}, first.address, second.address).ask('none.test')).toEqual({
        absent: 'ENOTFOUND',
      });
      expect(second.questions()).toEqual([]);
    });
  });

  describe('no answer from any', () => {
    it('is silence where they are gone, told at once', async () => {
      await Promise.all([first.stop(), second.stop()]);
      const [error, ms] = await took(fault(servers({}, first.address, second.address).ask('site.test')));
      expect(error).toMatchObject({ silent: true, code: 'ECONNREFUSED' });
      expect(error.message).toBe('No DNS resolver answers (ECONNREFUSED); site.test was asked for.');
      expect(ms).toBeLessThan(30_000);
    });

    it('is silence where they are frozen, told in time', async () => {
      first.freeze();
      second.freeze();
      const limits = { nextAfterMs: 200, giveUpMs: 1_500, replyMs: 500 };
      const dns = servers(limits, first.address, second.address);
      const [errors, ms] = await took(
        Promise.all(['site.test', 'four.test', 'none.test'].map((name) => fault(dns.ask(name)))),
      );
      expect(errors.map(({ silent, code }) => [silent, code])).toEqual(Array(3).fill([true, 'ETIMEOUT']));
      expect(ms).toBeGreaterThan(1_400);
      expect(ms).toBeLessThan(30_000);
      expect(await dns.answering()).toBe(false);
      first.thaw();
      await expect.poll(() => dns.answering()).toBe(true);
    });

    it('is the name’s trouble where they refuse, or live and keep still about this one', async () => {
      const refused = await fault(servers({}, first.address, second.address).ask('elsewhere.example'));
      expect(refused).toMatchObject({ silent: false, code: 'EREFUSED' });
      expect(refused.message).toBe('The DNS resolvers could not resolve elsewhere.example (EREFUSED).');
      await second.stop();
      expect(await fault(servers({}, second.address, first.address).ask('elsewhere.example'))).toMatchObject({
        silent: false,
        code: 'EREFUSED',
      });
      const relay = await relayed();
      relay.delayMs = ({ name }) => (name === 'tarpit.test' ? null : 0);
      const still = await fault(servers({ giveUpMs: 1_500 }, relay.address).ask('tarpit.test'));
      expect(still).toMatchObject({ silent: false, code: 'ETIMEOUT' });
    });

    it('has the list of resolvers looked at again', async () => {
      let list = [first.address];
      const dns = servers({ servers: () => list });
      await first.stop();
      list = [second.address];
      expect((await fault(dns.ask('site.test'))).silent).toBe(true);
      expect(await dns.ask('site.test')).toMatchObject({ ttlSeconds: 77 });
    });

    it('leaves nothing open once closed', async () => {
      first.freeze();
      const dns = servers({}, first.address);
      const question = fault(dns.ask('site.test'));
      dns.close();
      const [error, ms] = await took(question);
      expect(error).toMatchObject({ code: 'ECANCELLED', silent: false });
      expect(ms).toBeLessThan(30_000);
    });
  });
});
