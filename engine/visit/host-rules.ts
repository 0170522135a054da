/** What a visit must know about its host before it requests a page, and the host's trouble if there is any. */
import type { Robots } from '../../domain/robots.ts';
import type { TroubleClass } from '../../domain/trouble.ts';

export interface HostRules {
  readonly robots: Robots | null;
  /** Set if the host's address is guarded: says why nothing may be sent. */
  readonly refused: string | null;
  /** The address that robots.txt came from; null: not known. */
  readonly from: string | null;
}

export interface HostTrouble {
  readonly class: TroubleClass;
  readonly message: string;
  readonly waitMs: number;
}
