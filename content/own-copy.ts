/**
 * The same text in memory of its own. A piece that was cut from a text, of 13 characters or more, is in V8 a view that
 * holds the whole text: a link or a class name that is kept would keep the source of its page.
 */
export const ownCopy = (piece: string): string => ` ${piece}`.slice(1);
