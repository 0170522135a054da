/** What `mount` makes of a route: its inputs are read in order, its answer has the status that it names. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import pino from 'pino';
import { pinoHttp } from 'pino-http';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Parts } from '../../api/dependencies.ts';
import type { Tracer } from '../../contracts/tracing.ts';
import { fails, json, tagged } from '../../api/routes/answers.ts';
import { mount, route, type Route } from '../../api/routes/route.ts';
import { HttpProblem, problemHandler } from '../../api/way-in/problem.ts';

const thing = z.object({ id: z.string(), size: z.number() });
const spec = {
  method: 'POST',
  path: '/things/{id}',
  access: 'public',
  id: 'changeThing',
  summary: 'A thing',
  params: z.strictObject({ id: z.string().max(3) }),
  query: z.strictObject({ by: z.enum(['hand', 'machine']).optional() }),
  body: z.strictObject({ size: z.number() }),
  answers: { 202: json('It.', thing), 404: fails('There is none.') },
} as const;

async function askAt(made: Route, path: string, init?: RequestInit, parts = {} as Parts): Promise<Response> {
  const app = express();
  app.use(
    pinoHttp({ logger: pino({ level: 'silent' }) }),
    express.json(),
    mount([made], parts),
    problemHandler,
  );
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  return fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`, init);
}

it('is a span where traces are on, under its name and not its path', async () => {
  const told: unknown[] = [];
  const tracer: Tracer = {
    within: async (name, facts, work, kind) => {
      told.push([name, kind, facts['http.route']]);
      return work({ tell: () => undefined, fail: () => undefined });
    },
    traceId: () => 'abc',
  };
  const made = route({
    ...spec,
    handler:
      () =>
      ({ params: { id } }) => ({ id, size: 1 }),
  });
  expect((await askAt(made, '/things/a', post({ size: 1 }), { tracer } as Parts)).status).toBe(202);
  expect(told).toEqual([['POST /things/{id}', 'server', '/things/{id}']]);
});

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

it('answers with the one good status it names; of several faults the first in path, query and body counts', async () => {
  const made = route({
    ...spec,
    handler:
      () =>
      ({ params, body }) => ({ ...params, ...body }),
  });
  const good = await askAt(made, '/things/abc?by=hand', post({ size: 3 }));
  expect([good.status, await good.json()]).toEqual([202, { id: 'abc', size: 3 }]);
  const statusAndDetail = async (path: string): Promise<unknown> => {
    const answer = await askAt(made, path, post({}));
    return [answer.status, ((await answer.json()) as { detail: string }).detail];
  };
  expect(await statusAndDetail('/things/abc')).toEqual([422, 'size: it is missing']);
  expect(await statusAndDetail('/things/abc?by=foot')).toEqual([400, 'by: it must be one of hand, machine']);
  expect(await statusAndDetail('/things/abcd?by=foot')).toEqual([
    400,
    'id: it must have at most 3 characters',
  ]);
});

it('answers as for a thing that is not there where a path can name none', async () => {
  const unknown = ({ id = '' }: Readonly<Record<string, string>>): never => {
    throw new HttpProblem(404, `There is no ${id}.`);
  };
  const made = route({
    ...spec,
    unknown,
    handler:
      () =>
      ({ params, body }) => ({ ...params, ...body }),
  });
  expect((await askAt(made, '/things/abcd?by=foot', post({}))).status).toBe(404);
});

it('sends what is tagged with its ETag, and not again to whoever has it', async () => {
  const made = route({
    ...{ method: 'GET', path: '/thing', access: 'public', id: 'thing', summary: 'The thing' },
    answers: { 200: tagged('It.', thing) },
    handler: () => () => ({ version: 7, body: { id: 'a', size: 1 } }),
  });
  const first = await askAt(made, '/thing');
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, await first.json(), etag.slice(0, 3)]).toEqual([200, { id: 'a', size: 1 }, '"7.']);
  expect((await askAt(made, '/thing', { headers: { 'if-none-match': etag } })).status).toBe(304);
});

it('does not compile without access, nor with an answer that its schema does not have', () => {
  const { access, ...open } = spec;
  const handler = () => () => ({ id: 'a', size: 1 });
  // @ts-expect-error a route says who may use it
  expect(route({ ...open, handler }).access).toBeUndefined();
  // @ts-expect-error size is a number
  expect(route({ ...spec, handler: () => () => ({ id: 'a', size: '1' }) }).access).toBe(access);
});
