import { describe, expect, it } from 'vitest';
import { bodyStages, stageOf, storedStages } from '../../domain/stage.ts';
import { troubleClasses } from '../../domain/trouble.ts';
import { kindOf, storedKinds, urlKinds } from '../../domain/url-kind.ts';
import { reasonsOf, reasonText, troubleText, urlReasons } from '../../domain/url-reason.ts';

describe('reasons of URLs', () => {
  it('are there once for each state, with every trouble of a host among those that wait or fail', () => {
    for (const reasons of Object.values(reasonsOf)) expect(new Set(reasons).size).toBe(reasons.length);
    expect(new Set(urlReasons).size).toBe(urlReasons.length);
    expect(reasonsOf.queued).toEqual(expect.arrayContaining([...troubleClasses]));
    expect(reasonsOf.failed).toEqual(expect.arrayContaining([...troubleClasses]));
  });

  it.each(urlReasons)('%s has a sentence of its own', (reason) => {
    const text = reasonText(reason, null);
    expect(text).toMatch(/^[a-z].* .*[^.]$/);
    expect(urlReasons.filter((other) => reasonText(other, null) === text)).toEqual([reason]);
    expect(reasonText(reason, 'so')).toBe(`${text} (so)`);
  });

  it('stand before the words in which the last trouble of a host is kept', () => {
    expect(troubleText('tls: it expired: long ago')).toBe(
      'no secure connection could be made (it expired: long ago)',
    );
    expect(troubleText('constructor: x')).toBe('constructor: x');
    expect(troubleText('unknown')).toBe('unknown');
  });
});

it('kinds and stages are read as they are stored', () => {
  expect(urlKinds.map((kind) => kindOf(storedKinds[kind]))).toEqual(urlKinds);
  expect(bodyStages.map((stage) => stageOf(storedStages[stage]))).toEqual(bodyStages);
  expect(stageOf(storedStages.none)).toBeNull();
});
