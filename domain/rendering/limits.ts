/** What rendering may take. A page that reaches one of these is read as far as it came, and says which. */
export const renderLimits = {
  /** Times that a page is rendered from its start, each with what the one before was missing. */
  rounds: 6,
  /** Files that one page may ask for, and their bytes together. */
  resources: 100,
  resourceBytes: 10 * 1_024 * 1_024,
  /** Milliseconds of the page's own, virtual time, and by the clock. */
  pageMs: 8_000,
  wallMs: 10_000,
  /** Bytes of a DOM that is kept. */
  domBytes: 10 * 1_024 * 1_024,
  /** Bytes of a screenshot, and of a PDF, that is kept. */
  lookBytes: 10 * 1_024 * 1_024,
} as const;
