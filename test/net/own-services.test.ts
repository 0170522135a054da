/** The stack's own services are reached by no crawl and no webhook, whatever is allowed and however they are spelt. */
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadServiceConfig } from '../../config/config.ts';
import { ownServices, type Service } from '../../net/own-services.ts';
import { createPoster } from '../../net/poster.ts';
import type { Resolver } from '../../net/resolver.ts';
import { servicesOf } from '../../workers/services.ts';
import { expectFault, expectResponse, fetching } from './fetching.ts';
import { rawServer, response } from './raw-server.ts';

const everything = ['0.0.0.0/0', '::/0'];
const at = (address: string): Resolver => ({
  resolve: () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]),
});
const server = (host: string) => rawServer((socket) => socket.write(response('reached')), host);

describe('a service on this machine', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['127.9.9.9', '0.0.0.0'],
    ['[::1]', '::1'],
    ['[::]', '::1'],
  ])('is not reached as %s, and no other port is closed by it', async (host, listensAt) => {
    const [service, other] = [await server(listensAt), await server(listensAt)];
    const own = ownServices([{ host: '127.0.0.1', port: service.port }]);
    const get = fetching({ own });
    const refused = expectFault(
      await get(`http://${host}:${String(service.port)}/`, { allowPrivate: everything }),
    );
    expect(refused.fault).toBe('address-refused');
    expect(refused.message).toMatch(/the crawler's own stack listens, which no crawl may reach\.$/);
    expect(service.connections.total).toBe(0);
    const reached = await get(`http://${host}:${String(other.port)}/`, { allowPrivate: everything });
    expectResponse(reached);
  });

  it('is not reached by a name, nor at an address of a network interface', async () => {
    const service = await server('0.0.0.0');
    const services = [{ host: 'localhost', port: service.port }];
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
      const get = fetching({ own: ownServices(services), resolver: at(address) });
      const fault = expectFault(
        await get(`http://a.example:${String(service.port)}/`, { allowPrivate: everything }),
      );
      expect([address, fault.fault]).toEqual([address, 'address-refused']);
    }
    expect(service.connections.total).toBe(0);
  });

  it('gets no webhook, and the answer does not tell where it is', async () => {
    const service = await server('127.0.0.1');
    const own = ownServices([{ host: 'localhost', port: service.port }]);
    const post = createPoster({
      own,
      allowPrivate: everything,
      userAgent: 'Orbweaver/0',
      resolver: at('127.0.0.1'),
    });
    const url = `http://hook.example:${String(service.port)}/`;
    const answer = await post({ url, headers: {}, body: '{}', timeoutMs: 60_000 });
    expect(answer).toMatchObject({ kind: 'fault', isOurs: false });
    expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
    expect(service.connections.total).toBe(0);
  });
});

describe('a service elsewhere', () => {
  const database: Service = { host: 'db.internal', port: 5432 };
  const isOurs = async (own: ReturnType<typeof ownServices>, port: number, address: string) =>
    (await own(port))?.(address) ?? false;

  it('is known by the addresses of its name at its port', async () => {
    const own = ownServices([database], at('10.1.2.3'));
    expect(await isOurs(own, 5432, '10.1.2.3')).toBe(true);
    expect(await isOurs(own, 5432, '::ffff:10.1.2.3')).toBe(true);
    expect(await isOurs(own, 5432, '10.1.2.4')).toBe(false);
    expect(await isOurs(own, 80, '10.1.2.3')).toBe(false);
  });

  it('is asked for again only once its addresses are old, and closes nothing else while it has none', async () => {
    let asked = 0;
    const gone: Resolver = { resolve: () => (asked++, Promise.reject(new Error('no resolver'))) };
    const own = ownServices([database], gone);
    for (let i = 0; i < 3; i++) expect(await isOurs(own, 5432, '10.1.2.3')).toBe(false);
    expect(asked).toBe(1);
  });

  it('keeps the addresses that its name had for as long as it has none', async () => {
    let answers = at('10.1.2.3');
    const own = ownServices([database], { resolve: (name) => answers.resolve(name) });
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => {
      clock.mockRestore();
    });
    const later = (seconds: number): void => void clock.mockReturnValue(1_000 * seconds);
    later(1);
    expect(await isOurs(own, 5432, '10.1.2.3')).toBe(true);
    answers = { resolve: () => Promise.reject(new Error('no resolver')) };
    later(100);
    expect(await isOurs(own, 5432, '10.1.2.3')).toBe(true);
    answers = at('10.1.2.9');
    later(200);
    expect(await isOurs(own, 5432, '10.1.2.3')).toBe(false);
  });
});

it('the settings of a worker name its services, with the usual ports where none is set', () => {
  const named = (env: Record<string, string>): string[] =>
    servicesOf(loadServiceConfig({ HOME: '/', ORBWEAVER_TEMPORAL_ADDRESS: 'temporal:7233', ...env })).map(
      ({ host, port }) => `${host} ${String(port)}`,
    );
  expect(named({ ORBWEAVER_DATABASE_URL: 'postgres://u:p@db/crawl' })).toEqual([
    ...['db 5432', 'temporal 7233', 'temporal 8233', '127.0.0.1 7700'],
  ]);
  expect(
    named({
      ORBWEAVER_DATABASE_URL: 'postgres:///crawl',
      ORBWEAVER_REDIS_URL: 'redis://[::1]:6380',
      ORBWEAVER_TEMPORAL_ADDRESS: '[::1]:1',
      ORBWEAVER_TEMPORAL_UI_PORT: '2',
      ORBWEAVER_API_HOST: '0.0.0.0',
      ORBWEAVER_API_PORT: '3',
      ORBWEAVER_API_NAMES: 'api',
      ORBWEAVER_OFF_LIMITS: 'temporal-web:8080',
      ORBWEAVER_METRICS_PORT: '65534',
    }),
  ).toEqual([
    'localhost 5432',
    '::1 6380',
    '::1 1',
    '::1 2',
    '0.0.0.0 3',
    'api 3',
    '127.0.0.1 65534',
    '127.0.0.1 65535',
    'temporal-web 8080',
  ]);
});
