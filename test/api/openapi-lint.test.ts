import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { accessTable } from '../support/access-table.ts';
import { openApiDocument } from '../../api/openapi/document.ts';

interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<
    Record<string, Partial<Body> & { readonly headers: Readonly<Record<string, object>> }>
  >;
}
interface Body {
  readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
}

const text = JSON.stringify(openApiDocument('1.2.3'));
const document = JSON.parse(text) as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);
const operationOf = (operationId: string): Operation | undefined =>
  operations.find(({ operation }) => operation.operationId === operationId)?.operation;
const headersOf = (operationId: string, status: string): string[] =>
  Object.keys(operationOf(operationId)?.responses[status]?.headers ?? {});

describe('the OpenAPI document', () => {
  it('has nothing that Redocly finds fault with', async () => {
    const problems = await lintDocument({
      document: makeDocumentFromString(text, 'openapi.json'),
      config: await createConfig({ extends: ['recommended-strict'] }),
      externalRefResolver: new BaseResolver(),
    });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it('has nothing that Spectral finds fault with', async () => {
    const linter = new spectral.Spectral();
    // Its rules are typed more narrowly than what it takes.
    linter.setRuleset(rulesets.oas as unknown as RulesetDefinition);
    const problems = await linter.run(text);
    expect(problems.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([]);
  });

  it('names a tag, and for every answer the fields it has', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { route, operation } of operations) {
      expect(tags, route).toContain(operation.tags[0]);
      expect(operation.description, route).not.toBe('');
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        const fields = Object.keys(headers);
        expect(fields, `${route} ${status}`).toContain('X-Request-Id');
        if (['429', '503'].includes(status)) expect(fields, `${route} ${status}`).toContain('Retry-After');
        const isGuarded = accessTable[route] !== 'public';
        expect(fields.includes('RateLimit'), `${route} ${status}`).toBe(isGuarded);
      }
    }
    expect(headersOf('createCrawl', '201')).toEqual(
      expect.arrayContaining(['Location', 'X-Quota-Crawls-At-Once', 'X-Quota-Stored-Bytes']),
    );
    for (const made of ['createKey', 'createTenant', 'createWebhook', 'addOptOut'])
      expect(headersOf(made, '201'), made).toContain('Location');
    expect(headersOf('getCrawl', '304')).toContain('ETag');
    expect(headersOf('editCrawl', '412')).toContain('ETag');
  });

  it('says of each operation how faults of ours look, and of a POST that a key makes it safe to repeat', () => {
    for (const { route, operation } of operations) {
      for (const status of ['500', '503'])
        expect(operation.responses[status], `${route} ${status}`).toHaveProperty('content');
      const keys = (operation.parameters ?? []).filter(
        (each) => '$ref' in each && each.$ref === '#/components/parameters/idempotencyKey',
      );
      // A ranking comes as lines, of which a key is refused.
      const takesOne =
        route.startsWith('POST ') && accessTable[route] !== 'public' && route !== 'POST /v1/ranks';
      expect(keys, route).toHaveLength(takesOne ? 1 : 0);
      if (takesOne)
        for (const status of ['400', '409', '422']) expect(operation.responses, route).toHaveProperty(status);
    }
  });

  it('says what a line and an event of a stream are', () => {
    const schemaOf = (operationId: string, type: string): unknown =>
      operationOf(operationId)?.responses['200']?.content?.[type]?.schema;
    expect(schemaOf('listEvents', 'text/event-stream')).toEqual({
      $ref: '#/components/schemas/StreamedEvent',
    });
    for (const route of ['exportCrawl', 'downloadExport'])
      expect(schemaOf(route, 'application/x-ndjson')).toEqual({ $ref: '#/components/schemas/Page' });
    expect(operationOf('addSeeds')?.requestBody?.content['application/x-ndjson']?.schema).toHaveProperty(
      'anyOf',
    );
  });

  it('calls whole numbers integers, and cursors what leaves the API', () => {
    const parameters = operations.flatMap(({ route, operation }) =>
      (operation.parameters ?? []).map((parameter) => ({ route, ...parameter })),
    );
    const numbers = parameters.filter(({ name }) => ['limit', 'version', 'shard'].includes(name));
    expect(numbers.length).toBeGreaterThan(10);
    for (const { route, name, schema } of numbers) {
      expect(schema, `${route} ${name}`).toMatchObject({
        type: 'integer',
        maximum: expect.any(Number) as number,
      });
      expect(schema, `${route} ${name}`).not.toHaveProperty('pattern');
    }
    const cursor = parameters.find(({ route, name }) => route === 'GET /v1/audit-log' && name === 'cursor');
    const sealed = 'A'.repeat(40);
    expect(new RegExp(cursor?.schema.pattern ?? '^$').test(sealed)).toBe(true);
  });
});
