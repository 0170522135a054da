/** What forms of the console have in common. */

/** The fields of a form that was submitted, trimmed; empty ones are null. */
export function fieldsOf(event: Event): (name: string) => string | null {
  event.preventDefault();
  const data = new FormData(event.currentTarget as HTMLFormElement);
  return (name) => {
    const value = data.get(name);
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? null : text;
  };
}

/** `example.com` → `https://example.com`: hosts are named by their origins. */
export const asOrigin = (text: string | null): string | null =>
  text === null || text.includes('://') ? text : `https://${text}`;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** As an input of the type datetime-local has it, in the time zone of the reader. */
export function localTime(iso: string | null): string {
  const at = new Date(iso ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '';
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-');
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

/** Of what an input of the type datetime-local has; null: no time. */
export function instantOf(local: string | null): string | null {
  const at = new Date(local ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
