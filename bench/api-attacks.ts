/**
 * What one tenant can do to another: the first one asks for costly things, many at once, again and again, and meanwhile
 * the other one reads the status of a crawl and a supervisor reads /healthz, each ten times a second whether or not the
 * last answer has come.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { quantile } from './figures.ts';

export interface Attacked {
  readonly name: string;
  /** Milliseconds of the other tenant's reads: the 95th percentile while nobody attacks, and while somebody does. */
  readonly idle: number;
  readonly busy: number;
  /** The longest answer of /healthz, in milliseconds. */
  readonly health: number;
  /** What the attacker was answered: the number of answers by status. */
  readonly answers: ReadonlyMap<number, number>;
}

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** One attack: so many requests at once, of one kind. */
interface Attack {
  readonly at: number;
  readonly shot: Shot;
}

export interface Battlefield {
  readonly apiUrl: string;
  /** Of the attacker, in the first tenant. */
  readonly key: string;
  /** A finished crawl of the attacker with many pages. */
  readonly large: string;
  readonly ask: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  readonly seconds: number;
}

const betweenMs = 100;
/** A reader that has waited for so long counts as having waited so long. */
const longestMs = 60_000;
const bodyBytes = 9_500_000;

export async function attack(field: Battlefield): Promise<Attacked[]> {
  const { apiUrl, key, ask, seconds } = field;
  const site = await startSite();
  const agent = new Agent({ connections: 600, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const victim = await ask<{ id: string }>('POST', '/v1/tenants', { name: 'another' });
    const made = { name: 'reader', role: 'operator', tenantId: victim.id };
    const { key: theirs } = await ask<{ key: string }>('POST', '/v1/keys', made);
    const send = async (shot: Shot, of: string): Promise<number> => {
      const { statusCode, body } = await request(apiUrl + shot.path, {
        ...{ dispatcher: agent, method: shot.method as 'GET' },
        headers: { authorization: `Bearer ${of}`, 'content-type': 'application/json' },
        ...(shot.body !== undefined && { body: shot.body }),
      });
      await body.dump({ limit: 2 ** 30 });
      return statusCode;
    };
    const read: Shot = { method: 'GET', path: '/v1/tenant' };
    const health: Shot = { method: 'GET', path: '/healthz' };
    const results: Attacked[] = [];
    for (const [name, { at, shot }] of Object.entries(await attacksOn(field, site.url))) {
      const idle = await watch(() => send(read, theirs), seconds * 1_000);
      const answers = new Map<number, number>();
      const ends = performance.now() + seconds * 1_000;
      const lanes = Array.from({ length: at }, async () => {
        while (performance.now() < ends) {
          const status = await send(shot, key);
          answers.set(status, (answers.get(status) ?? 0) + 1);
          // A client that is refused comes again at once, but for this.
          if (status >= 400) await sleep(50);
        }
      });
      const [busy, healthy] = await Promise.all([
        watch(() => send(read, theirs), seconds * 1_000),
        watch(() => send(health, theirs), seconds * 1_000),
      ]);
      await Promise.all(lanes);
      const result = {
        ...{ name, idle: quantile(idle, 0.95), busy: quantile(busy, 0.95) },
        ...{ health: Math.max(...healthy), answers },
      };
      process.stderr.write(`${inWords(result)}\n`);
      results.push(result);
      await sleep(1_000);
    }
    return results;
  } finally {
    await agent.destroy();
    site.stop();
  }
}

const inWords = ({ name, idle, busy, health, answers }: Attacked): string =>
  `${name}: p95 ${idle.toFixed(0)} → ${busy.toFixed(0)} ms, healthz ${health.toFixed(0)} ms; ` +
  [...answers].map(([status, count]) => `${String(count)} × ${String(status)}`).join(', ');

/** Milliseconds of each answer, asked at a steady pace. */
async function watch(ask: () => Promise<unknown>, forMs: number): Promise<number[]> {
  const waits: Promise<number>[] = [];
  for (let asked = 0; asked * betweenMs < forMs; asked++) {
    const start = performance.now();
    waits.push(
      Promise.race([ask(), sleep(longestMs, undefined, { ref: false })]).then(
        () => performance.now() - start,
      ),
    );
    await sleep(betweenMs);
  }
  return Promise.all(waits);
}

/** Two crawls fetch the large page, which differs between them. */
async function attacksOn({ ask, large }: Battlefield, site: string): Promise<Record<string, Attack>> {
  const page = `${site}/large`;
  let crawl = '';
  for (let time = 0; time < 2; time++) {
    ({ id: crawl } = await ask<{ id: string }>('POST', '/v1/crawls', {
      ...{ seeds: [page], maxDepth: 0, allowPrivate: ['127.0.0.0/8'], delaySeconds: 0.1 },
      ...{ changes: true, search: time === 1 },
    }));
    for (let tries = 0; ; tries++) {
      const { endedAt } = await ask<{ endedAt: string | null }>('GET', `/v1/crawls/${crawl}`);
      if (endedAt !== null) break;
      if (tries > 1_200) throw new Error(`crawl ${crawl} does not end`);
      await sleep(100);
    }
  }
  const of = `/v1/crawls/${crawl}`;
  const paused = await pausedCrawl(ask);
  const url = encodeURIComponent(page);
  const get = (path: string, at = 20): Attack => ({ at, shot: { method: 'GET', path } });
  const post = (path: string, body: unknown, at = 20, method = 'POST'): Attack => ({
    ...{ at, shot: { method, path, body: typeof body === 'string' ? body : JSON.stringify(body) } },
  });
  const seed = `http://192.0.2.1/${'x'.repeat(70)}`;
  const seeds = Array.from({ length: Math.floor(bodyBytes / (seed.length + 9)) }, (_, n) => seed + String(n));
  return {
    'Markdown of a page of 4.4 MB': get(`${of}/body?part=main-markdown&url=${url}`),
    'its text, links and images': get(`${of}/pages?fields=text,main,anchors,images`),
    'its differences': get(`${of}/diff?url=${url}`),
    'rules on it': post(`${of}/rule-trial`, { url: page, rules: { include: ['main p'] } }),
    'its body': get(`${of}/body?url=${url}`),
    'audits of 100,000 URLs': get(`/v1/crawls/${large}/audit`),
    'reports of them': get(`/v1/crawls/${large}/report`),
    'the time of them': get(`/v1/crawls/${large}/time`),
    'previews of an edit of 100,000 URLs': post(
      `/v1/crawls/${paused}?dryRun=true`,
      { exclude: ['*/section/3/*'] },
      20,
      'PATCH',
    ),
    'near-duplicates': get(`/v1/crawls/${large}/near-duplicates`),
    searches: get(`${of}/search?q=word`),
    'bodies of 9.5 MB': post(`/v1/crawls/${large}/seeds`, { urls: seeds, more: 1 }, 8),
    'seeds of 9.5 MB': post(`/v1/crawls/${paused}/seeds`, { urls: seeds }, 8),
    'status reads over 500 connections': get(`/v1/crawls/${large}`, 500),
  };
}

/** A crawl can be edited while it goes on. This one does, with 100,000 URLs that nobody fetches. */
async function pausedCrawl(ask: Battlefield['ask']): Promise<string> {
  const urls = Array.from(
    { length: 100_000 },
    (_, n) => `http://192.0.2.1/section/${String(n % 10)}/${String(n)}`,
  );
  const crawl = { seeds: urls.slice(0, 1), scope: 'any', maxPages: 1_000_000 };
  const { id } = await ask<{ id: string }>('POST', '/v1/crawls', crawl);
  await ask('POST', `/v1/crawls/${id}/pause`);
  for (let at = 0; at < urls.length; at += 10_000) {
    await ask('POST', `/v1/crawls/${id}/seeds`, { urls: urls.slice(at, at + 10_000) });
  }
  return id;
}

async function startSite(): Promise<{ readonly url: string; stop(): void }> {
  const words = 'one word after another makes a sentence that a reader of the page may want to keep';
  let fetched = 0;
  const server = createServer((asked, answer) => {
    if (asked.url !== '/large') {
      answer.writeHead(404).end();
      return;
    }
    fetched++;
    const part = (n: number): string =>
      `<div class="part"><h2>Part ${String(n)}</h2><p>${n % 50 === 0 ? `Version ${String(fetched)}: ` : ''}<b>${words}</b>, ` +
      `<a href="/part/${String(n)}">part ${String(n)}</a> <img src="/${String(n)}.png" alt="it"> <em>${words}</em>.</p></div>\n`;
    const parts = Array.from({ length: 14_000 }, (_, n) => part(n)).join('');
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    answer.end(`<!doctype html><title>A large page</title><main>${parts}</main>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
