/** Sentences to the people who run a verb. */
export type Say = (sentence: string) => void;

export const sayPlainly: Say = (sentence) => {
  process.stderr.write(`${sentence}\n`);
};
