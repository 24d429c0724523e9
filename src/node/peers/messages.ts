import type { MessagePort } from 'node:worker_threads'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeeringStatus } from '../../rpc/context.ts'
import type { LifeOrder } from '../keptThread.ts'
import type { PeerOptions } from '../options/peerOptions.ts'

/** The messages between the front thread and the peer thread. */

/** The options with which the peer thread is started. */
export interface PeerThreadSetup {
  readonly options: PeerOptions
  /** To the chain thread, which serves it. */
  readonly chain: MessagePort
}

/** State of peers and synchronisation, reported every second once the report before was received. */
export type PeerReport = Omit<PeeringStatus, 'thread'>

/** The peer thread once it takes part. */
export interface PeerThreadReady {
  /** enode URL of this node. */
  readonly enode: string
  /** Port that peers are taken on; null where none are. */
  readonly port: number | null
}

/** The messages of the peer thread beside those of its life. */
export type PeerThreadNotice =
  | { readonly kind: 'report'; readonly report: PeerReport }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly reason: string }

/** A call of {@link PeerAdmin} as it crosses threads. */
export type AdminCall = {
  [K in keyof PeerAdmin]: { readonly call: K; readonly args: Parameters<PeerAdmin[K]> }
}[keyof PeerAdmin]

/** The orders to the peer thread. */
export type PeerThreadOrder =
  | ({ readonly kind: 'admin'; readonly id: number } & AdminCall)
  /** The report was taken: the next may follow. */
  | { readonly kind: 'received' }
  | LifeOrder
