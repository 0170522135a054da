/**
 * The same text in memory of its own. V8 makes a piece of 13 characters or more a view that holds the whole text from
 * which the piece was cut. So a link or a class name that is kept would keep the source of its page in memory.
 */
export const ownCopy = (piece: string): string => ` ${piece}`.slice(1);
