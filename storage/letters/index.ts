/** Dead letters: listed, counted, redriven. */
export { readDeadLetters, type DeadLetterPage } from './dead-letters.ts';
export {
  encodeCursor,
  decodeCursor,
  chooseLetters,
  redriveBatch,
  crawlBar,
  type LetterFilter,
  type LetterCursor,
  type RedrivenBatch,
} from './redrive.ts';
