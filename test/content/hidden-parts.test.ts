/** Links that people do not see, so far as attributes say (content/hidden-parts.ts). */
import { describe, expect, it } from 'vitest';
import { extract } from './page.ts';

/** Paths of the hidden links of a page. */
const hidden = (html: string): string[] =>
  [...extract(html).hiddenLinks].map((url) => new URL(url).pathname.slice(1));

describe('a link is hidden from people', () => {
  it.each([
    '<a href=/x hidden>',
    '<div hidden><p><a href=/x>on</a></div>',
    '<span aria-hidden=true><a href=/x>on</a></span>',
    '<p style="display: none"><a href=/x>on</a>',
    '<P style="color:red;DISPLAY:NONE!important"><a href=/x>on</a>',
    '<b style="visibility:hidden"><a href=/x>on</a></b>',
    '<a href=/x style="position:absolute; left:-9999px">on</a>',
    '<div style="top: -1000px; position: fixed"><a href=/x>on</a></div>',
    '<i style="font-size:0px"><a href=/x>on</a></i>',
    '<div style="height:0;overflow:hidden"><a href=/x>on</a></div>',
    '<div style="opacity:0"><a href=/x>on</a></div>',
    '<nav hidden><ul><li><a href=/x>on</a></ul></nav>',
    '<div hidden><div>in</div><a href=/x>on</a></div>',
    '<li hidden><ul><li>in</ul><a href=/x>on</a>',
  ])('in %s', (html) => {
    expect(hidden(html)).toEqual(['x']);
  });

  it.each([
    '<a href=/x>on</a>',
    '<p hidden>no</p><a href=/x>on</a>',
    '<p hidden>no<p><a href=/x>on</a>',
    '<p hidden>no<div><a href=/x>on</a></div>',
    '<ul><li hidden>no<li><a href=/x>on</a></ul>',
    '<div><span hidden>never closed</div><a href=/x>on</a>',
    '<input type=text hidden><img aria-hidden=true><a href=/x>on</a>',
    '<svg aria-hidden=true><path/></svg><a href=/x>on</a>',
    '<body style="opacity:0"><a href=/x>on</a>',
    '<div hidden=until-found aria-hidden=false><a href=/x>on</a></div>',
    '<a href=/x style="opacity:0.8; max-width:0.5em; height:09px">on</a>',
    '<a href=/x style="margin-left:-2000px; position:absolute; left:0">on</a>',
    '<a href=/x style="text-indent:-9999px; background:url(logo.png)">on</a>',
    '<div title="display:none" class=hidden><a href=/x>on</a></div>',
    // Another link to it is seen, before or after, under another spelling.
    '<a href=/x hidden>on</a><a href=/x#more>on</a>',
    '<a href=/x>on</a><div hidden><a href=/x>on</a></div>',
    // A link that is not followed leads nowhere.
    '<div hidden><a href=/x rel=nofollow>on</a></div>',
  ])('but not in %s', (html) => {
    expect(hidden(html)).toEqual([]);
  });

  it('among the links that are kept', () => {
    const page = extract('<div hidden><a href=/x>on</a><a href=/y>on</a></div><a href=/z>', { maxLinks: 1 });
    expect([page.links, [...page.hiddenLinks]]).toEqual([
      ['https://example.com/x'],
      ['https://example.com/x'],
    ]);
  });
});
