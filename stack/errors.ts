/** The stack cannot do what was asked. The message is one or two sentences for people: what, where, what to do. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** The system's own code for a failed call, such as EACCES, or null. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
