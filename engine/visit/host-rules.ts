/** What a visit has to know of its host before it asks for a page, and what may be wrong with the host. */
import type { Robots } from '../../domain/robots.ts';
import type { TroubleClass } from '../../domain/trouble.ts';

export interface HostRules {
  readonly robots: Robots | null;
  /** Set: the host's address is guarded, nothing may be sent; says why. */
  readonly refused: string | null;
}

export interface HostTrouble {
  readonly class: TroubleClass;
  readonly message: string;
  readonly waitMs: number;
}
