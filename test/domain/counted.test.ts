import { expect, it } from 'vitest';
import { counted, grouped } from '../../domain/counted.ts';

it.each([
  [counted(1, 'host'), '1 host'],
  [counted(0, 'host'), '0 hosts'],
  [counted(1_200, 'host'), '1,200 hosts'],
  [counted(1, 'URL is', 'URLs are'), '1 URL is'],
  [counted(2, 'URL is', 'URLs are'), '2 URLs are'],
  [grouped(1_234_567.6), '1,234,568'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});
