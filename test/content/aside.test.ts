/** Bodies that are read in threads: the same as here, and within a budget. */
import { expect, it } from 'vitest';
import { BeyondBudget, createAside } from '../../content/aside.ts';
import { readShown } from '../../content/extract.ts';
import { toMarkdown } from '../../content/markdown.ts';
import { diffTexts } from '../../content/text-diff.ts';
import { createTextReader } from '../../engine/page-text.ts';

const html = Buffer.from('<title>T</title><main><p>one <a href="/x">two</a></p></main><p>three</p>');
const url = 'https://a.example/';
const lasting = { heapMb: 256, bufferBytes: 2 ** 28, workMs: 120_000 };

it('is what is read here, and leaves the body to its owner', async () => {
  const aside = createAside(lasting, 1);
  const page = [html, 'text/html', url] as const;
  expect(await aside('markdown', ...page, 'page', new Set([1]))).toEqual(toMarkdown(...page));
  expect(await aside('shown', ...page)).toEqual(readShown(...page));
  expect(await aside('differences', 'one\ntwo\n', 'one\nthree\n')).toEqual(
    diffTexts('one\ntwo\n', 'one\nthree\n'),
  );
  const input = { url, contentType: 'text/html', xRobotsTag: null, agentTokens: [], maxLinks: 10 };
  const asked = ['extracted', 'read'] as const;
  const [whole, plain] = await Promise.all(asked.map((work) => aside(work, html, input)));
  expect([whole?.title, plain?.links]).toEqual(['T', ['https://a.example/x']]);
  expect(html.toString()).toContain('three');
});

it('a page that passes the budget ends its thread, and the next page is read by another', async () => {
  const small = createAside({ ...lasting, heapMb: 16 }, 1);
  const large = Buffer.from('<p>one <b>two</b> <i>three</i>'.repeat(400_000));
  await expect(small('markdown', large, 'text/html', url)).rejects.toThrow(BeyondBudget);
  expect(await small('markdown', html, 'text/html', url)).toEqual(toMarkdown(html, 'text/html', url));
});

it('a list of pages says of a page that could not be read again that it was cut', async () => {
  const blobs = { get: () => Promise.resolve(html) };
  const textOf = createTextReader(blobs, () => Promise.reject(new BeyondBudget('too-slow')));
  expect(await textOf('00', 'text/html', url, null, new Set())).toMatchObject({
    text: '',
    cut: { textUnread: 1 },
  });
});
