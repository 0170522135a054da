/** The index for searches is down, slow, or refuses us: a fault of ours, which says nothing of a page or a search. */
export class SearchDown extends Error {}
