import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { BudgetedThread } from '../../content/budgeted-thread.ts';
import { isDocument, readDocument } from '../../content/documents.ts';
import { makePdf } from '../support/make-pdf.ts';
import { extract } from './page.ts';

const file = new URL('../../content/documents/thread.ts', import.meta.url);

describe('a PDF', () => {
  it('gives its title, its text in blocks, and its links', async () => {
    const pdf = makePdf(
      [
        {
          lines: ['Annual report', '', 'It was a good year', 'for spiders.'],
          link: 'https://example.com/more',
        },
        { lines: ['Second page'], link: '/relative' },
      ],
      'Report 2031',
    );
    const document = await readDocument(pdf);
    expect(document).toEqual({
      ...{ title: 'Report 2031', text: 'Annual report \nIt was a good year for spiders.\nSecond page' },
      ...{ links: ['https://example.com/more'], cut: { documentPages: 0, text: 0, links: 0 } },
    });
    expect(extract(pdf, { contentType: 'application/pdf', document })).toMatchObject({
      ...{
        title: 'Report 2031',
        text: 'Annual report\nIt was a good year for spiders.\nSecond page',
        words: 11,
      },
      ...{ links: ['https://example.com/more'], cut: {} },
    });
  });

  it('keeps ten thousand links, and counts the others', { tags: ['long'] }, async () => {
    const links = Array.from({ length: 10_250 }, (_, at) => `https://example.com/${String(at)}`);
    const pages = Array.from({ length: 41 }, (_, at) => ({ links: links.slice(at * 250, (at + 1) * 250) }));
    const document = await readDocument(makePdf(pages));
    expect(document.cut).toEqual({ documentPages: 0, text: 0, links: 250 });
    expect(document.links).toEqual(links.slice(0, 10_000));
  });

  it('without a title is called by its first line', async () => {
    expect((await readDocument(makePdf([{ lines: ['A heading', '', 'Text'] }]))).title).toBe('A heading');
    expect((await readDocument(makePdf([{ lines: ['x'] }], 'Microsoft Word - draft.doc'))).title).toBe(
      'draft.doc',
    );
  });

  it('that is damaged, empty or no PDF says so', async () => {
    expect(await readDocument(Buffer.from('%PDF-1.7 and nothing'))).toEqual({
      ...{ title: null, text: '', links: [], cut: { brokenDocuments: 1 } },
    });
    const torn = makePdf([{ lines: ['text'] }]);
    expect((await readDocument(torn.subarray(0, torn.length / 2))).cut).toEqual({ brokenDocuments: 1 });
    expect(await readDocument(makePdf([]))).toMatchObject({ text: '' });
  });

  it('that claims more pages than there can be is believed up to a limit', async () => {
    const pdf = makePdf(Array.from({ length: 1_000 }, () => ({ lines: ['x'] })))
      .toString('latin1')
      .replace('/Count 1000/Kids[', `/Count ${String(2 ** 53)}/Kids[9999 0 R `)
      .replace('trailer', `9999 0 obj<</Type/Pages/Count ${String(2 ** 53 - 1)}/Kids[]>>\nendobj\ntrailer`);
    expect((await readDocument(Buffer.from(pdf, 'latin1'))).cut).toEqual({
      documentPages: 100_000,
      text: 0,
      links: 0,
    });
  });

  it('is told by its type, or else by its first bytes', () => {
    expect(isDocument('application/pdf; x=y', Buffer.from('x'))).toBe(true);
    expect(isDocument(null, makePdf([]))).toBe(true);
    expect(isDocument('application/octet-stream', Buffer.from('PK'))).toBe(false);
  });
});

describe('a hostile PDF costs its budget and no more', () => {
  const spaces = Buffer.alloc(300 * 1024 * 1024, ' ');
  const budget = { heapMb: 128, bufferBytes: 100 * 1024 * 1024, workMs: 120_000 };
  const good = makePdf([{ lines: ['fine'] }]);

  it('in memory: 300 MB in 300 KB', async () => {
    const bomb = makePdf([{ stream: spaces }]);
    expect(bomb.length).toBeLessThan(500_000);
    const thread = new BudgetedThread<Uint8Array, { text: string }>(file, budget);
    expect(await thread.run(bomb)).toBe('too-much-memory');
    expect(await thread.run(good)).toMatchObject({ text: 'fine' });
  });

  it('in time', async () => {
    const endless = makePdf([{ stream: Buffer.from('q Q '.repeat(20_000_000)) }]);
    const thread = new BudgetedThread<Uint8Array, { text: string }>(file, { ...budget, workMs: 300 });
    expect(await thread.run(endless)).toMatch(/too-/);
    // A new thread may need longer than that to load the library, on a busy machine: how it goes on is seen above.
  });

  it('in time that the thread has worked or idled, not that it stood still on a busy machine', async () => {
    const brief = { ...budget, workMs: 300 };
    const thread = new BudgetedThread<string, unknown>(
      new URL('../support/breaks-down.ts', import.meta.url),
      brief,
    );
    expect(await thread.run('stand still')).toBe('stand still');
    expect(await thread.run('work')).toBe('too-slow');
    expect(await thread.run('wait')).toBe('too-slow');
  });

  it('without a process that waits for its thread', async () => {
    const thread = new BudgetedThread<string, unknown>(
      new URL('../support/breaks-down.ts', import.meta.url),
      budget,
    );
    expect(await thread.run('throw')).toBe('broke-down');
    expect(await thread.run('heap')).toBe('too-much-memory');
    expect(await thread.run('echo')).toBe('echo');
  });

  it('without another task in a thread that has ended', async () => {
    const ended = new Promise<unknown>((resolve) => {
      process.once('worker', (worker: Worker) => worker.once('exit', resolve));
    });
    const thread = new BudgetedThread<string, unknown>(
      new URL('../support/breaks-down.ts', import.meta.url),
      budget,
    );
    expect(await thread.run('late')).toBe('late');
    await ended;
    expect(await thread.run('echo')).toBe('echo');
  });

  it('without the tasks after one that could not be begun', async () => {
    const thread = new BudgetedThread<unknown, unknown>(
      new URL('../support/breaks-down.ts', import.meta.url),
      budget,
    );
    await expect(thread.run(() => 'no function can be sent')).rejects.toThrow('could not be cloned');
    expect(await thread.run('echo')).toBe('echo');
  });
});
