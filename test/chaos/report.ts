/** What a run has shown, for people. */
import type { Figure } from './figure.ts';
import { strikeLine } from './judge.ts';
import type { Strike } from './timeline.ts';

const shown = 12;

export function figuresTable(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  return figures
    .map(({ name, value, ok }) => `${ok ? '  ' : '✗ '}${name.padEnd(width)}  ${value}`)
    .join('\n');
}

/** What is off, with the lines that show it, and all that struck. */
export function evidenceOf(figures: readonly Figure[], strikes: readonly Strike[]): string {
  const off = figures.filter(({ ok }) => !ok);
  const lines = off.flatMap(({ name, details }) => [
    `${name}:`,
    ...details.slice(0, shown).map((detail) => `  ${detail}`),
    ...(details.length > shown ? [`  and ${String(details.length - shown)} more`] : []),
  ]);
  return [
    ...lines,
    'faults, in milliseconds of the web’s clock:',
    ...strikes.map((one) => `  ${strikeLine(one)}`),
  ].join('\n');
}
