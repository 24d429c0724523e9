import type { PeerAddress } from '../../src/p2p/peers/ports.ts'

/** What a node in a process of its own is told. */
export type ToChild =
  | { readonly type: 'meet'; readonly contacts: readonly PeerAddress[] }
  | { readonly type: 'mine'; readonly number: number }
  | { readonly type: 'stop' }

/** What it says: first that it listens, then how it is, again and again. */
export type FromChild =
  | { readonly type: 'opened'; readonly id: string; readonly port: number }
  | {
      readonly type: 'report'
      /** Node ids of its peers. */
      readonly peers: readonly string[]
      /** Numbers of the blocks that it has. */
      readonly blocks: readonly number[]
      readonly residentBytes: number
    }
