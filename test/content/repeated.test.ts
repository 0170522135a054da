import { expect, it } from 'vitest';
import { kinds, type Block } from '../../content/blocks.ts';
import { countedBlocks } from '../../content/repeated.ts';
import { mostOfPage } from '../../domain/boilerplate/block-counts.ts';

it('blocks of a long page count from both of its ends: what repeats stands at the top and at the foot', () => {
  const texts = Array.from({ length: 2 * mostOfPage }, (_, at) => `paragraph number ${String(at)} says this`);
  const blocks: Block[] = [];
  let from = 0;
  for (const text of texts) {
    blocks.push({ kind: kinds.paragraph, from, to: from + text.length } as Block);
    from += text.length + 1;
  }
  const counted = countedBlocks(texts.join('\n'), blocks).map(({ text }) => text);
  const half = mostOfPage / 2;
  expect(new Set(counted)).toEqual(new Set([...texts.slice(0, half), ...texts.slice(-half)]));
});
