/** `export` takes every format: those that are no stream are made by the stack, waited for and downloaded. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from './run-cli.ts';
import { serving } from './serving.ts';

it('export --format wacz waits for the file and writes it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-export-'));
  const file = path.join(folder, 'crawl.wacz');
  const asked: string[] = [];
  const job = {
    ...{ id: '7', crawlId: '3', format: 'wacz', fields: [], to: 'folder', state: 'running', reason: null },
    ...{ phase: 'pages', pages: 0, ofPages: 1, bytes: 0, sha256: null, file: null, object: null },
    ...{ createdAt: '2031-01-01T00:00:00.000Z', endedAt: null, expiresAt: null },
  };
  const ended = { ...job, state: 'finished', pages: 1, bytes: 5, file: 'crawl.wacz', endedAt: job.createdAt };
  try {
    const result = await serving(
      (request, response) => {
        asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
        if (request.url?.endsWith('/file') === true)
          response.setHeader('content-type', 'application/wacz').end('whole');
        else
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify(request.method === 'POST' ? job : ended));
      },
      (url) =>
        runCli(['export', '3', '--format', 'wacz', '--out', file, '--server', url], {
          ORBWEAVER_DATA: path.join(folder, 'none'),
        }),
    );
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe('whole');
    expect(asked).toEqual([
      'POST /v1/crawls/3/exports',
      'GET /v1/crawls/3/exports/7',
      'GET /v1/crawls/3/exports/7/file',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
