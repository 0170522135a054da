/** Many seeds are judged some at a time (api/crawls/judged-seeds.ts). */
import { expect, it } from 'vitest';
import { judgeSeeds } from '../../api/crawls/judged-seeds.ts';

it('lets others have their turn while many are judged, and counts lines on', async () => {
  const list = Array.from({ length: 50_000 }, (_, at) => `https://a.example/${String(at)}`);
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const judged = await judgeSeeds([...list, 'no url']);
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(5);
  expect(judged.seeds.map(({ line }) => line)).toEqual(Array.from({ length: 50_001 }, (_, at) => at + 1));
  expect(judged.rejected.map(({ line }) => line)).toEqual([50_001]);
});
