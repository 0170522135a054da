import { describe, expect, it } from 'vitest';
import { explainLines } from '../../cli/look/explain.ts';
import type { Explanation } from '../../contracts/http/explain.ts';

type Decision = Explanation['decisions'][number];

const decision = (step: Decision['step'], effect: Decision['effect'], because: string): Decision => ({
  step,
  effect,
  because,
  verdict: 'x',
  detail: {},
});

const answer = (decisions: Decision[]): Explanation => ({
  url: 'https://a.example/?utm_source=x',
  canonical: 'https://a.example/',
  key: '00ff',
  host: 'https://a.example',
  summary: 'It waits.',
  decisions,
  scope: { verdict: 'admit', reason: null, detail: null, depth: 0, isSeed: true, includedBy: null },
  record: null,
  attempts: [],
  deadLetter: null,
  robots: null,
  next: null,
});

describe('an explanation as text', () => {
  it('is the answer, then a line for each decision, marked by what it did', () => {
    const lines = explainLines(
      answer([
        decision('canonical', 'note', 'One.'),
        decision('canonical', 'note', 'Two.'),
        decision('scope', 'pass', 'Inside.'),
        decision('robots', 'stop', 'Forbidden.'),
        decision('wait', 'wait', 'Later.'),
      ]),
    );
    expect(lines).toEqual([
      'It waits.',
      '',
      '  URL        https://a.example/?utm_source=x',
      '  canonical  https://a.example/',
      '  key        00ff',
      '',
      '        canonical    One.',
      '                     Two.',
      '  ok    scope        Inside.',
      '  no    robots       Forbidden.',
      '  wait  wait         Later.',
    ]);
  });

  it('does not let a server steer the terminal', () => {
    const lines = explainLines(answer([decision('robots', 'stop', 'Disallow: \x1b[2J\r\nx\x9b')]));
    expect(lines.at(-1)).toBe('  no    robots       Disallow: \ufffd[2J\ufffd\ufffdx\ufffd');
  });
});
