/** Why no usable response came. Each name asks for its own reaction (see outcome.ts). */
export const fetchFaults = [
  /** the name does not exist or has no address */
  'dns-not-found',
  /** the resolver failed or timed out */
  'dns-unavailable',
  /** a literal, resolved or connected address is private or special and not allowed */
  'address-refused',
  'connect-refused',
  'connect-timeout',
  'tls',
  /** the exchange was not over within the time limit */
  'timeout',
  /** the connection broke before the response was whole */
  'reset',
  /** not HTTP, header flood, bad chunking, broken Location and the like */
  'protocol',
] as const;
export type FetchFault = (typeof fetchFaults)[number];
