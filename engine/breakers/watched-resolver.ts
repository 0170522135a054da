/**
 * A resolver that a breaker listens to. Only silence counts: no DNS resolver answers anything. One that answers and
 * fails at a name says something of that name, which is its host's trouble.
 */
import { ResolverFault, type Resolver } from '../../net/resolver.ts';
import type { Breaker } from './breaker.ts';

export const isDnsSilence = (error: unknown): boolean => error instanceof ResolverFault && error.silent;

/** Refuses nothing: names that are in memory are answered also while no resolver is. */
export const watchedResolver = (resolver: Resolver, breaker: Breaker): Resolver => ({
  resolve: (hostname) => breaker.watch(() => resolver.resolve(hostname)),
});
