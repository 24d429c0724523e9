import type { AccessStore } from '../../storage/access/accessStore.ts'
import type { DayCost } from '../../storage/access/lifeUsage.ts'
import type { AccessBook } from './accessBook.ts'

/** Use of keys that other members of a fleet counted (fleet.md §7). */
export interface OthersUse {
  /** Cost units of a key on a day, as far as heard since the start. */
  costOn(id: string, day: number): number
  /** Tells who counts here from now on. */
  attach(counter: OwnUse): void
}

/** The use that this node counts, for those who tell others. */
export interface OwnUse {
  /**
   * Keys with a rate or a quota whose use here has changed since this was asked last. @param isAll whether others
   * forgot
   */
  changed(isAll: boolean): readonly DayCost[]
  /** Calls a listener once: when a key is used, or what was told is to be told again. */
  onNextUse(listener: () => void): void
  /** Others have used so much of a key on a day by now. @param isLate whether they may have done so long ago */
  received(id: string, day: number, cost: number, isLate: boolean): void
  /**
   * The contents of the store are not what they were: all is counted anew, and {@link changed} tells everything again.
   */
  recount(): void
  /** Looks at the keys at once. @throws what the store throws */
  refresh(): void
}

/** The share of a node in keys and their use. */
export interface AccessSharing {
  /** True when keys are those of several nodes, in place of its own. */
  readonly sharesKeys: boolean
  /** The parts that admission works with, out of the store of this node. */
  open(store: AccessStore): { readonly book: AccessBook; readonly others: OthersUse }
}

/** Nobody else counts. */
export const NO_OTHERS: OthersUse = {
  costOn: () => 0,
  attach: () => undefined,
}

/** A node with keys of its own. */
export const OWN_ACCESS: AccessSharing = {
  sharesKeys: false,
  open: (store) => ({ book: store, others: NO_OTHERS }),
}
