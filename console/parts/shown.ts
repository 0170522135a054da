/** Values as people read them. */
const plain = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const number = (value: number): string => (value < 1e6 ? plain.format(value) : short.format(value));

/** `1 host`, `2 hosts`. */
export const counted = (count: number, one: string): string =>
  `${number(count)} ${one}${count === 1 ? '' : 's'}`;

const units = ['B', 'kB', 'MB', 'GB', 'TB'];
export function bytes(value: number): string {
  const power = value < 1_000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  return `${plain.format(Number((value / 1_000 ** power).toPrecision(3)))} ${units[power] ?? ''}`;
}

const spans: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];
/** The two largest units: `2 h 5 min`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${String(Math.round(seconds * 10) / 10)} s`;
  const parts: string[] = [];
  let left = Math.round(seconds);
  for (const [size, unit] of [...spans, [1, 's'] as const]) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${String(count)} ${unit}`);
  }
  return parts.slice(0, 2).join(' ');
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
/** The time of day; with its date unless that is today's. */
export const instant = (iso: string): string => {
  const at = new Date(iso);
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : full.format(at);
};

/** `finished` → `Finished`, `own_delay` → `Own delay`. */
export const words = (code: string): string =>
  code.replaceAll(/[-_.]/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

/** A path of the API or the console with a value of its own in it. */
export const part = (text: string): string => encodeURIComponent(text);
