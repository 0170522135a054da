/**
 * A resolver that reports its faults to a breaker. Only silence counts as a fault: no DNS resolver answers at all. An
 * answer that a name fails is about that name, and is its host's trouble.
 */
import { ResolverFault, type Resolver } from '../../net/resolver.ts';
import type { Breaker } from './breaker.ts';

export const isDnsSilence = (error: unknown): boolean => error instanceof ResolverFault && error.silent;

/** Refuses no call: cached names are answered even while no DNS resolver answers. */
export const watchedResolver = (resolver: Resolver, breaker: Breaker): Resolver => ({
  resolve: (hostname) => breaker.watch(() => resolver.resolve(hostname)),
});
