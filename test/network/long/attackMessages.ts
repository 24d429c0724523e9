import type { PeerAddress } from '../../../src/p2p/peers/ports.ts'

/** What the process of the attackers is told. */
export type ToAttackers =
  | {
      readonly type: 'begin'
      readonly attacks: readonly string[]
      readonly victim: PeerAddress
      readonly chains: string
    }
  /** The honest chain has so many blocks by now, genesis among them. */
  | { readonly type: 'grown'; readonly length: number }

/** What the attackers did so far, by attack and figure. */
export interface FromAttackers {
  readonly type: 'stats'
  readonly stats: Readonly<Record<string, Readonly<Record<string, number>>>>
}
