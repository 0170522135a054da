/** Dead letters: listed, counted, driven again. */
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
