/** How far a host is trusted before anything of it was fetched: by a crawl's own list, or by a public ranking of domains. */
import { coveringDomain } from '../opt-out.ts';

/** From this place on a ranking says nothing: its order is noise there. */
const lastPlace = 10_000_000;

/** From 1 for the first place to 0, by the logarithm of the place: 0.57 for the thousandth, 0.14 for the millionth. */
export const trustOfPlace = (place: number): number =>
  Math.max(0, 1 - Math.log10(Math.max(1, place)) / Math.log10(lastPlace));

/** @param place of the host, or of the nearest domain above it, in the imported ranking; null: it is not in there */
export const trustOf = (name: string, trusted: ReadonlySet<string>, place: number | null): number =>
  coveringDomain(name, trusted) !== null ? 1 : place === null ? 0 : trustOfPlace(place);

/** The name and the domains above it, the nearest first, down to two labels. */
export function domainsAbove(name: string): string[] {
  const names = [name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1);
    if (parent.includes('.')) names.push(parent);
  }
  return names;
}
