import { describe, expect, it } from 'vitest';
import { extract } from './page.ts';

const said = (html: string) =>
  Object.fromEntries(
    [...(extract(html, { withContexts: true }).contexts ?? [])].map(([url, { anchor, around }]) => [
      url.replace('https://example.com', ''),
      [anchor.trim(), around.replace(/\s+/g, ' ').trim()],
    ]),
  );

describe('what links say', () => {
  it('is read only if it is asked for', () => {
    expect(extract('<a href=/a>words</a>').contexts).toBeNull();
  });

  it('is the words of the link and those shortly around it, of navigation too, without scripts', () => {
    const long = 'far '.repeat(40);
    const html = `<title>No part</title><p>${long}just before <a href="/a">solar &amp; wind</a> just after ${long}
      <script>var no = "words"</script><nav><li><a href=/menu>Menu <b>entry</b></a><li><a href=/next>Next</a></nav>
      <svg><a href=/svg><title>icon</title></a></svg>`;
    const contexts = said(html);
    expect(contexts['/a']?.[0]).toBe('solar & wind');
    expect(contexts['/a']?.[1]).toMatch(/^(ar )?(far )*just before just after (far )*f?a?r?$/);
    expect(contexts['/menu']?.[0]).toBe('Menu entry');
    expect(contexts['/menu']?.[1]).toContain('Next');
    expect(JSON.stringify(contexts)).not.toMatch(/var no|No part/);
  });

  it('is that of the link that says most, if several lead to a URL; links that are not followed say nothing', () => {
    expect(
      said('<a href=/a></a><a href=/a#x>the whole story</a><a href=/a>more</a><a href=/b rel=nofollow>b</a>'),
    ).toEqual({
      '/a': ['the whole story', 'more b'],
    });
  });

  it('ends where a link is not closed, and for links far down is nothing', () => {
    expect(said('<a href=/a>one <a href=/b>two</a>')).toMatchObject({
      '/a': ['one', 'two'],
      '/b': ['two', 'one'],
    });
    expect(said(`<a href=/a>${'x '.repeat(600_000)}</a><a href=/b>late</a>`)['/b']).toEqual([
      '',
      expect.any(String),
    ]);
  });
});
