/** A JSON body as a value, or why it is none. */
import { jsonFault } from '../../../domain/json-faults.ts';

export interface JsonFault {
  readonly status: 400;
  readonly detail: string;
}
/** In an object, since the value may be anything. */
export type ReadJson = { readonly value: unknown } | JsonFault;

/**
 * Texts with a number that a JavaScript number may not hold. Other texts may match too, which only makes reading them
 * slower.
 */
const longInteger = /\d{16}/;

/** A whole number beyond 53 bits becomes a BigInt: as a JavaScript number it would be another number. */
const exactly = (_name: string, value: unknown, { source }: { readonly source: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value;

/** TypeScript does not know the source text that JSON.parse passes on since ECMAScript 2025. */
const parseExactly = JSON.parse as (text: string, reviver: typeof exactly) => unknown;

export function readJson(bytes: Uint8Array): ReadJson {
  const text = decoded(bytes);
  if (text === null) return { status: 400, detail: 'The body is not valid UTF-8.' };
  // Many programs send an empty body when they have nothing to say.
  if (text === '') return { value: {} };
  const fault = jsonFault(text);
  if (fault !== null) return { status: 400, detail: fault };
  try {
    return { value: longInteger.test(text) ? parseExactly(text, exactly) : (JSON.parse(text) as unknown) };
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message.slice(0, 200)}.` : '';
    return { status: 400, detail: `The body is not valid JSON.${why}` };
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
