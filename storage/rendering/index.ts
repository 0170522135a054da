/** Pages that are rendered by a browser: their rounds, and what they wait for. */
export { renderAgain } from './again.sql.ts';
export { findLooks } from './looks.sql.ts';
export { endRenderings, lookAgain } from './waiting.sql.ts';
export { findForPage, type FoundForPage } from './answers.sql.ts';
export {
  beginRendering,
  beginRound,
  endRound,
  noteRounds,
  renderingFacts,
  type RenderingFacts,
  type RoundRow,
} from './rounds.sql.ts';
export { gainsOfHost, lockGains, settledRenderings, storeGains, type GainRow } from './gains.sql.ts';
