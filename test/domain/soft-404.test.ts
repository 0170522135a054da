/** Soft 404 (F29): which answers of a server stand for pages that are not there, over kinds of servers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  folderOf,
  isAbove,
  isMissing,
  isRepeated,
  judgeBeside,
  judgeProbe,
  madeUpSibling,
  type ProbeVerdict,
  type TextSign,
} from '../../domain/soft-404/judge.ts';
import { printAnswer, type AnswerPrint } from '../../domain/soft-404/print.ts';
import { measureMissing } from '../../bench/content/soft-404.ts';
import { servers, type KindOfServer, type ServerAnswer } from './soft-404-servers.ts';

const token = 'qzvxwkjhtrplmn';
const printOf = ({ title, text = '' }: ServerAnswer, path: string): ReturnType<typeof printAnswer> =>
  printAnswer(title ?? null, text, path);

/** How a server's answers are judged after two made-up paths. */
function judged({ known, unknown }: KindOfServer): { held: string[]; lost: string[] } {
  const beside = '/articles/a-first-page';
  const sibling = printOf(known(beside), beside);
  let verdict: ProbeVerdict = { kind: 'unclear' };
  for (const each of [token, 'kjhwvbnmqzxpld']) {
    const path = madeUpSibling(beside, each);
    const answer = unknown(path);
    const first = verdict.kind === 'soft' && verdict.sign.kind === 'text' ? verdict.sign.made : null;
    verdict = judgeProbe(
      {
        ...{ status: answer.status, path, redirectTo: answer.redirectTo ?? null },
        ...{ title: answer.title ?? null, text: answer.text ?? null, needs: null },
      },
      { sibling, first },
    );
    if (verdict.kind !== 'soft') break;
  }
  const isHeld = (path: string, { status, redirectTo, ...rest }: ServerAnswer): boolean => {
    if (verdict.kind !== 'soft') return false;
    const { sign } = verdict;
    if (sign.kind === 'repeated') return false;
    if (sign.kind === 'redirect') return redirectTo === sign.to && !isAbove(path);
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

  it(
    'is told at sites of many hands, whose error pages show something else each time',
    { tags: ['deep'] },
    () => {
      const { precision, recall } = measureMissing(1);
      expect(precision).toBeGreaterThanOrEqual(0.95);
      expect(recall).toBeGreaterThanOrEqual(0.9);
      // What one answer shows by chance cannot be told from its message.
      expect(measureMissing(1, 1).recall).toBeLessThan(0.5);
    },
  );

  const menu = 'home products about us contact imprint privacy';
  const article = printAnswer(
    'Winter | Example',
    `${menu} snow fell all night over the town and its river`,
    '/a/winter',
  );
  const teasers = (word: string): string =>
    Array.from({ length: 30 }, (_, at) => `${word}${'abcdefghij'[at % 10] ?? ''}`).join(' ');
  const signAfter = (title: string, text: string): TextSign => {
    let first: AnswerPrint | null = null;
    for (const [name, by] of [
      ['one', 'river'],
      ['two', 'stone'],
    ] as const) {
      const answer = { status: 200, redirectTo: null, path: `/a/${token}${name}`, needs: null };
      const verdict = judgeProbe(
        { ...answer, title, text: `${menu} ${text} ${teasers(by)}` },
        { sibling: article, first },
      );
      if (verdict.kind !== 'soft' || verdict.sign.kind !== 'text') throw new Error(verdict.kind);
      if (first !== null) return verdict.sign;
      first = verdict.sign.made;
    }
    throw new Error('no second answer');
  };
  it('is no help article about it, and no page that quotes its message', () => {
    const message = 'sorry we could not find the page that you are looking for';
    const sign = signAfter('Page not found | Example', message);
    expect(
      isMissing(
        sign,
        printAnswer('Page not found | Example', `${menu} ${message} ${teasers('meadow')}`, '/a/x'),
      ),
    ).toBe(true);
    for (const title of [
      'How to mend a 404 page not found | Example',
      'Winter | Example',
      'Page not found in nginx | Example',
    ])
      expect(isMissing(sign, printAnswer(title, `${menu} ${message} ${teasers('meadow')}`, '/a/x'))).toBe(
        false,
      );
  });
  it('is no list of the folder in which the path was made up, nor a home page', () => {
    const sign = signAfter('Stories | Example', 'all stories of the year in the order in which they came');
    expect(['/', '/index.html', '/a', '/a/', '/a/?page=2'].every((path) => isAbove(path, sign))).toBe(true);
    expect(['/a/b', '/ab', '/b/'].some((path) => isAbove(path, sign))).toBe(false);
  });
  it.each(['javascript', 'login'] as const)('is nothing that needs %s to say anything', (needs) => {
    const answer = {
      status: 200,
      redirectTo: null,
      path: `/a/${token}`,
      title: 'App',
      text: 'loading the app',
    };
    expect(judgeProbe({ ...answer, needs }, { sibling: article }).kind).not.toBe('soft');
    expect(judgeProbe({ ...answer, needs: null }, { sibling: article }).kind).toBe('soft');
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

  it('is looked for beside another page where the page beside the path is itself not there', () => {
    const answer = { status: 200, redirectTo: null, path: `/a/${token}`, needs: null, title: 'Not found' };
    const said = { ...answer, text: `${menu} sorry we could not find this page` };
    const lost = printAnswer('Not found', said.text, '/a/old');
    const pages = ['snow fell', 'rain came'].map((each) =>
      printAnswer(each, `${menu} ${each} all night`, '/a/x'),
    );
    expect(judgeProbe(said, { sibling: lost }).kind).toBe('alike');
    const verdict = judgeBeside(said, { sibling: lost }, [lost, ...pages]);
    expect(verdict.kind === 'soft' && verdict.sign.kind === 'text' && isMissing(verdict.sign, lost)).toBe(
      true,
    );
    // A site that shows the same for most of its pages says nothing.
    expect(judgeBeside(said, { sibling: lost }, [lost, lost, ...pages]).kind).toBe('alike');
    expect(judgeBeside(said, { sibling: lost }, []).kind).toBe('alike');
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
          { status: 200, redirectTo: null, path: `/${token}`, title: 'an error', text: error, needs: null },
          { sibling },
        );
        if (verdict.kind !== 'soft' || verdict.sign.kind !== 'text') return;
        expect(isMissing(verdict.sign, sibling)).toBe(false);
        expect(isMissing(verdict.sign, printAnswer('an error', error, `/${token}x`))).toBe(true);
      }),
    );
  });
});
