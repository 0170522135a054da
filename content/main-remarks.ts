/**
 * Boxes of readers' remarks below a text, known by their shape: many of one kind, each with some prose, a link (who wrote
 * it, to answer) and a short line with a number (when), and none with a heading. Where nothing goes before them they are
 * the text itself, as in forums.
 */
import type { Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import type { Shape } from './main-shape.ts';
import { isHeading, isProse } from './main-worth.ts';

/** So many boxes of one kind, of which so many have all the marks, and so much prose before them. */
const leastBoxes = 5;
const markedShare = 0.7;
const leastBefore = 400;
/** Longer lines are no dates. */
const longestDate = 60;
/** What a box has, in bits. */
const [linked, dated, told, titled] = [1, 2, 4, 8];
const away = hints.outside | hints.comments | hints.around;

export function remarkBoxes(text: string, { all, containers }: Blocks, { first }: Shape): Uint8Array {
  const has = new Uint8Array(containers.length);
  /** Characters of prose before each block. */
  const before = new Float64Array(all.length + 1);
  all.forEach((block, at) => {
    const { container, from, to } = block;
    const isText = isProse(block);
    let own = block.linked > 0 ? linked : 0;
    if (isHeading(block.kind)) own |= titled;
    else if (isText && to - from > longestDate) own |= told;
    else if (to - from <= longestDate && /\d/.test(text.slice(from, to))) own |= dated;
    has[container] = (has[container] ?? 0) | own;
    const isHere = isText && ((containers[container]?.hints ?? 0) & away) === 0;
    before[at + 1] = (before[at] ?? 0) + (isHere ? to - from : 0);
  });
  for (let at = containers.length - 1; at > 0; at--) {
    const parent = containers[at]?.parent ?? 0;
    has[parent] = (has[parent] ?? 0) | (has[at] ?? 0);
  }
  const alike = new Map<string, number[]>();
  containers.forEach(({ parent, name, sign, hints: own }, at) => {
    if (sign === '' || has[at] === 0 || (own & (hints.content | hints.main)) !== 0) return;
    const kind = `${String(parent)} ${name} ${sign}`;
    const boxes = alike.get(kind);
    if (boxes === undefined) alike.set(kind, [at]);
    else boxes.push(at);
  });
  const found = new Uint8Array(containers.length);
  for (const boxes of alike.values()) {
    if (boxes.length < leastBoxes) continue;
    const marked = boxes.filter((at) => has[at] === (linked | dated | told)).length;
    if (marked < boxes.length * markedShare) continue;
    if ((before[first[boxes[0] ?? 0] ?? 0] ?? 0) < leastBefore) continue;
    for (const at of boxes) found[at] = 1;
  }
  return found;
}
