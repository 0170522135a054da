/** Soft 404 (F29): which answers of a server stand for pages that are not there, over kinds of servers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  folderOf,
  isMissing,
  isRepeated,
  judgeProbe,
  isHome,
  madeUpSibling,
} from '../../domain/soft-404/judge.ts';
import { printAnswer } from '../../domain/soft-404/print.ts';
import { servers, type KindOfServer, type ServerAnswer } from './soft-404-servers.ts';

const token = 'qzvxwkjhtrplmn';
const printOf = ({ title, text = '' }: ServerAnswer, path: string): ReturnType<typeof printAnswer> =>
  printAnswer(title ?? null, text, path);

/** How a server's answers are judged after one probe. */
function judged({ known, unknown }: KindOfServer): { held: string[]; lost: string[] } {
  const probe = madeUpSibling('/articles/a-first-page', token);
  const answer = unknown(probe);
  const verdict = judgeProbe(
    {
      ...{ status: answer.status, path: probe, redirectTo: answer.redirectTo ?? null },
      ...{ title: answer.title ?? null, text: answer.text ?? null },
    },
    printOf(known('/articles/a-first-page'), '/articles/a-first-page'),
  );
  const isHeld = (path: string, { status, redirectTo, ...rest }: ServerAnswer): boolean => {
    if (verdict.kind !== 'soft') return false;
    const { sign } = verdict;
    if (sign.kind === 'repeated') return false;
    if (sign.kind === 'redirect') return redirectTo === sign.to && !isHome(path);
    return redirectTo === undefined && status === 200 && isMissing(sign, printOf({ status, ...rest }, path));
  };
  const paths = (kind: string): string[] =>
    Array.from({ length: 8 }, (_, at) => `/articles/${kind}-${'abcdefgh'[at] ?? ''}-page`);
  return {
    held: paths('good').filter((path) => isHeld(path, known(path))),
    lost: paths('lost').filter((path) => isHeld(path, unknown(path))),
  };
}

describe('soft 404', () => {
  it('is told with precision and recall over kinds of servers', () => {
    expect(servers.length).toBeGreaterThanOrEqual(30);
    let [right, wrong, wanted] = [0, 0, 0];
    const failed: string[] = [];
    for (const server of servers) {
      const { held, lost } = judged(server);
      right += server.soft ? lost.length : 0;
      wrong += held.length + (server.soft ? 0 : lost.length);
      wanted += server.soft ? 8 : 0;
      if (held.length > 0 || lost.length !== (server.soft ? 8 : 0))
        failed.push(
          `${server.name}: ${String(held.length)} good ones held, ${String(lost.length)} missing ones`,
        );
    }
    expect(failed).toEqual([]);
    expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.95);
    expect(right / wanted).toBeGreaterThanOrEqual(0.95);
  });

  it('is asked for beside a page, with its extension', () => {
    expect(madeUpSibling('/a/b.html?x=1', 'q')).toBe('/a/q.html');
    expect(madeUpSibling('/a/b/', 'q')).toBe('/a/q/');
    expect(madeUpSibling('/', 'q')).toBe('/q');
    expect(madeUpSibling('/a', 'q')).toBe('/q');
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        const made = madeUpSibling(path === '' ? '/' : path, token);
        expect(made.startsWith('/')).toBe(true);
        expect(made).toContain(token);
      }),
    );
  });

  it('is a text that many pages of a host have, and not nearly all', () => {
    expect([isRepeated(7, 20), isRepeated(300, 900)]).toEqual([true, true]);
    expect([isRepeated(6, 20), isRepeated(5, 10), isRepeated(19, 20), isRepeated(900, 900)]).not.toContain(
      true,
    );
  });

  it('is asked for once a folder', () => {
    expect(['/', '/a', '/a/', '/a/b/c', '/a?b=/c/', '//a'].map(folderOf)).toEqual([
      '/',
      '/',
      '/a/',
      '/a/',
      '/',
      '/',
    ]);
  });

  it('never takes the page for missing beside which it asked', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 60 }), fc.lorem({ maxCount: 40 }), (text, error) => {
        const sibling = printAnswer('a page', text, '/a');
        const verdict = judgeProbe(
          { status: 200, redirectTo: null, path: `/${token}`, title: 'an error', text: error },
          sibling,
        );
        if (verdict.kind !== 'soft' || verdict.sign.kind !== 'text') return;
        expect(isMissing(verdict.sign, sibling)).toBe(false);
        expect(isMissing(verdict.sign, printAnswer('an error', error, `/${token}x`))).toBe(true);
      }),
    );
  });
});
