/**
 * How far the names of parts are believed. A name that says “sidebar” or “comments” is not believed where most of the
 * page's prose lies in that part, since templates put such words on what encloses everything. Comments count as
 * comments only beside another text.
 */
import type { Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import { addUp } from './main-shape.ts';
import { isProse } from './main-worth.ts';

/** A part with so much of the prose is no surroundings, whatever it is named; with so much, it is around all. */
const trustedShare = 0.4;
/** The same, where nothing else speaks for it: neither the page's title nor an article lies in it. */
const trustedBare = 0.7;
const wholeShare = 0.95;
/** Characters of prose outside of all comments, beside which they are comments. */
const leastBeside = 140;
/** A shorter paragraph may be a remark of the template. */
const leastParagraph = 60;
/** A block that is so long is text, whatever it is named. */
const trustedLength = 120;

export const outsideHints = hints.outside | hints.comments;

/** Names that are believed: all; all but those of surroundings and comments. */
export type Belief = 'names' | 'declarations';

export interface Believed {
  /** Of each container: its own hints, and those of outside parts and comments around it. */
  readonly of: Uint8Array;
  /** Of a block's own element. */
  readonly ofBlock: (block: Blocks['all'][number]) => number;
}

/** @param remarks containers that hold readers' remarks, by their shape */
export function believedHints({ all, containers }: Blocks, remarks: Uint8Array, belief: Belief): Believed {
  const count = containers.length;
  const told = new Uint8Array(count);
  const prose = new Float64Array(count);
  for (const block of all)
    if (isProse(block)) prose[block.container] = (prose[block.container] ?? 0) + block.to - block.from;
  addUp(prose, containers);
  const whole = prose[0] ?? 0;
  const believed = (at: number, without: number): number =>
    ((containers[at]?.hints ?? 0) | (remarks[at] === 1 ? hints.comments : 0)) & ~without;
  const shareOf = (at: number, of: number): number => (of === 0 ? 0 : (prose[at] ?? 0) / of);
  const inherit = (withoutOf: (at: number) => number): void => {
    for (let at = 0; at < count; at++) {
      const around = at === 0 ? 0 : (told[containers[at]?.parent ?? 0] ?? 0);
      told[at] = believed(at, withoutOf(at)) | (around & outsideHints);
    }
  };
  inherit((at) => (shareOf(at, whole) >= wholeShare ? outsideHints : 0));
  let beside = 0;
  for (const block of all) {
    const length = block.to - block.from;
    if (length < leastParagraph || !isProse(block)) continue;
    if (((told[block.container] ?? 0) & (outsideHints | hints.around)) !== 0) continue;
    if ((ofBlock(block) & outsideHints) === 0) beside += length;
  }
  const noComments = beside < leastBeside || belief === 'declarations' ? hints.comments : 0;
  // What is held against a name is the prose that is no comment.
  let spoken = whole;
  if (noComments === 0)
    for (let at = 1; at < count; at++) {
      const inner = ((told[containers[at]?.parent ?? 0] ?? 0) & hints.comments) !== 0;
      if (!inner && ((told[at] ?? 0) & hints.comments) !== 0) spoken -= prose[at] ?? 0;
    }
  const noNames = belief === 'declarations' ? hints.around : 0;
  const holdsText = textHolders(all, containers);
  inherit((at) => {
    const share = shareOf(at, spoken);
    const isWrong = share >= (holdsText[at] === 1 ? trustedShare : trustedBare);
    const wrong = isWrong ? hints.outside | hints.around : 0;
    return wrong | noComments | noNames | (shareOf(at, whole) >= wholeShare ? outsideHints : 0);
  });
  return { of: told, ofBlock: (block) => ofBlock(block) & ~noComments };
}

/** Containers with a heading of the first level, or what is declared to be the text, in them. */
function textHolders(all: Blocks['all'], containers: Blocks['containers']): Uint8Array {
  const holds = new Uint8Array(containers.length);
  containers.forEach(({ name, hints: own }, at) => {
    if (name === 'article' || (own & hints.main) !== 0) holds[at] = 1;
  });
  for (const { kind, container } of all) if (kind === 1) holds[container] = 1;
  for (let at = containers.length - 1; at > 0; at--)
    if (holds[at] === 1) holds[containers[at]?.parent ?? 0] = 1;
  return holds;
}

/** What is believed of a block's own names. */
const ofBlock = ({ hints: told, from, to }: Blocks['all'][number]): number =>
  to - from >= trustedLength ? told & hints.comments : told;
