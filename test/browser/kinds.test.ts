import { expect, it } from 'vitest';
import { treatmentOf } from '../../browser/kinds.ts';

it.each([
  ['Script', 'GET', { ask: 'script', method: 'GET' }],
  ['Fetch', 'HEAD', { ask: 'xhr', method: 'HEAD' }],
  ['XHR', 'POST', { refuse: 'POST' }],
  ['Document', 'POST', { refuse: 'POST' }],
  ['Image', 'GET', { refuse: 'image', answer: 'picture' }],
  ['Ping', 'POST', { refuse: 'beacon' }],
  ['Stylesheet', 'GET', { refuse: 'stylesheet', answer: 'nothing' }],
  // A kind that a later browser may have.
  ['Telepathy', 'GET', { refuse: 'Telepathy' }],
])('%s by %s', (kind, method, treatment) => {
  expect(treatmentOf(kind, method, false, false)).toEqual(treatment);
});

it('asks for a style sheet that a script waits for, or that a picture shows', () => {
  const asked = { ask: 'stylesheet', method: 'GET' };
  expect(treatmentOf('Stylesheet', 'GET', true, false)).toEqual(asked);
  expect(treatmentOf('Stylesheet', 'GET', false, true)).toEqual(asked);
});
