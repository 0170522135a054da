/**
 * What a line of a log may be about, each under its one name, so that a query finds all lines about one thing in the
 * logs of all processes. docs/logs.md has the same table, and a test holds both and every line of the code to it.
 */
export const logIds = {
  crawlId: 'the number of a crawl, as in `/v1/crawls/{crawlId}`',
  host: 'the origin of a host, such as `https://example.com`',
  url: 'a URL of a crawl',
  visit: 'one visit of a host: the run of its workflow and the number of the activity, as in Temporal Web',
  workflowId: 'the workflow for which the work is done, such as `host/https://example.com`',
  activity: 'the type of the activity',
  requestId: 'a request of the API: `X-Request-Id` of its answer',
  traceId: 'the trace that the work is part of, where traces are on',
  by: 'who asked: `key` and its number, or `token` and its subject',
  tenantId: 'the number of a tenant',
  keyId: 'the number of a key',
  webhookId: 'the number of a webhook',
} as const;

/** What is not known is left out of the line. */
export type LogIds = { readonly [Name in keyof typeof logIds]?: string | undefined };
