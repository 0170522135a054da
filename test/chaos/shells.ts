/** Pages that need a browser, as they are at the end. Pure. */
import { none, type Figure } from './figure.ts';

export interface FinalShell {
  readonly url: string;
  /** Its body says what the page shows in a browser, to the end. */
  readonly isWhole: boolean;
  /** Bodies that a browser has made of it, in the archive. */
  readonly bodies: number;
  /** How its rendering stands, in words. */
  readonly story: string;
}

/** A page that was rendered again may be the same to the byte, and then is one body. */
export function shellFigures(shells: readonly FinalShell[]): Figure[] {
  if (shells.length === 0) return [];
  const told = (which: (shell: FinalShell) => boolean): string[] =>
    shells.filter(which).map(({ url, bodies, story }) => `${url}: ${String(bodies)} bodies, ${story}`);
  const of = ` of ${String(shells.length)}`;
  return [
    none(
      'pages that need a browser, not rendered',
      told(({ isWhole }) => !isWhole),
      of,
    ),
    none(
      'pages with two bodies by the browser',
      told(({ bodies }) => bodies > 1),
      of,
    ),
  ];
}
