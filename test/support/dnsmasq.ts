/** A real DNS resolver on loopback (dnsmasq), and a relay in front of it that is slow, or deaf to some questions. */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reservePort } from '../../stack/ports.ts';
import { endProcess, signalProcess, type ProcessId } from '../../stack/processes.ts';
import { spawnTethered } from '../../stack/tether.ts';
import { until } from './until.ts';

const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

export const hasDnsmasq = (): boolean =>
  spawnSync('dnsmasq', ['--version'], { env: { PATH: searchPath } }).status === 0;

export interface Dnsmasq {
  /** 127.0.0.1:port, which a restart keeps. */
  readonly address: string;
  /** Questions since the start or the last restart, as "A site.test". */
  questions(): string[];
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  /** Starts it anew, stopped or not, with other records. */
  restart(records: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * The resolver ends with this process, however this process ends. Below .test the resolver knows exactly the names in
 * `records`; it refuses all questions about other names.
 * @param records options of dnsmasq, such as `host-record=site.test,127.0.0.1,60` (the last is the TTL in seconds)
 */
export async function startDnsmasq(records: readonly string[]): Promise<Dnsmasq> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-dnsmasq-'));
  const reserved = await reservePort({ what: 'dnsmasq', fixed: null, usual: null });
  const address = `127.0.0.1:${String(reserved.port)}`;
  let runs = 0;
  let id: ProcessId | null = null;
  const logFile = () => path.join(folder, `${String(runs)}.log`);
  const lines = () => [...readFileSync(logFile(), 'utf8').matchAll(/query\[(\w+)\] (\S+) from/g)];

  const start = async (own: readonly string[]): Promise<void> => {
    runs++;
    const output = openSync(path.join(folder, 'output.log'), 'a');
    const options = [
      ...['keep-in-foreground', 'conf-file=/dev/null', 'no-resolv', 'no-hosts', 'pid-file=', 'local=/test/'],
      ...['listen-address=127.0.0.1', 'bind-interfaces', `port=${String(reserved.port)}`, 'cache-size=0'],
      // Only root may become another user, and must then name that user.
      ...(process.getuid?.() === 0 ? ['user=root'] : []),
      ...['log-queries', `log-facility=${logFile()}`],
    ];
    const tethered = await spawnTethered({
      command: 'dnsmasq',
      args: [...options, ...own].map((option) => `--${option}`),
      env: { PATH: searchPath },
      cwd: folder,
      stopSignal: 'SIGTERM',
      orphanGraceSeconds: 1,
      output,
    });
    closeSync(output);
    id = tethered.id;
    const probe = new Resolver({ timeout: 250, tries: 1 });
    probe.setServers([address]);
    const answers = (): Promise<boolean> =>
      probe.resolveTxt('up.dnsmasq.test').then(
        () => true,
        (error: unknown) => (error as { code: string }).code === 'ENOTFOUND',
      );
    await until('dnsmasq answers', answers);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (id !== null) signalProcess(id, name);
  };
  const stop = async (): Promise<void> => {
    signal('SIGCONT');
    if (id !== null) await endProcess(id, 'SIGTERM', 5_000);
    id = null;
  };

  await start(records);
  return {
    address,
    questions: () =>
      lines().flatMap(([, type = '', name = '']) => (name === 'up.dnsmasq.test' ? [] : [`${type} ${name}`])),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop,
    restart: async (own) => {
      await stop();
      await start(own);
    },
    close: async () => {
      await stop();
      reserved.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Question {
  readonly type: 'A' | 'AAAA' | 'SOA' | 'other';
  readonly name: string;
}

export interface DnsRelay {
  readonly address: string;
  /** Milliseconds a question waits before it is passed on; null: it is lost. */
  delayMs: (question: Question) => number | null;
  close(): Promise<void>;
}

/** Passes UDP questions on to a resolver, and its answers back. */
export async function startDnsRelay(to: string): Promise<DnsRelay> {
  const [host = '', port = ''] = to.split(':');
  const front = createSocket('udp4');
  const backs = new Set<ReturnType<typeof createSocket>>();
  front.bind(0, '127.0.0.1');
  await once(front, 'listening');
  let open = true;
  const relay: DnsRelay = {
    address: `127.0.0.1:${String(front.address().port)}`,
    delayMs: () => 0,
    close: async () => {
      open = false;
      for (const back of backs) back.close();
      const closed = once(front, 'close');
      front.close();
      await closed;
    },
  };
  front.on('message', (message, from) => {
    const waitMs = relay.delayMs(readQuestion(message));
    if (waitMs === null) return;
    void delay(waitMs).then(() => {
      if (!open) return;
      const back = createSocket('udp4');
      backs.add(back);
      back.on('close', () => backs.delete(back));
      back.once('message', (answer) => {
        front.send(answer, from.port, from.address);
        back.close();
      });
      // If no answer comes, that is as the resolver wants it.
      back.on('error', () => back.close());
      back.send(message, Number(port), host);
    });
  });
  return relay;
}

const types: Readonly<Record<number, Question['type']>> = { 1: 'A', 6: 'SOA', 28: 'AAAA' };

/** The first question of a message (RFC 1035 §4.1.2), which follows a head of twelve bytes. */
function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { type: types[message.readUInt16BE(at + 1)] ?? 'other', name: labels.join('.').toLowerCase() };
}
