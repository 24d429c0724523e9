import type { MessagePort } from 'node:worker_threads'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeeringStatus } from '../../rpc/context.ts'
import type { NodeErrorMetadata } from '../errors.ts'
import type { PeerOptions } from '../options/peerOptions.ts'

/** The messages between the front thread and the peer thread. */

/** The options with which the peer thread is started. */
export interface PeerThreadSetup {
  readonly options: PeerOptions
  /** To the chain thread, which serves it. */
  readonly chain: MessagePort
}

/** How peers and synchronisation are, told every second while the one before was heard. */
export type PeerReport = Omit<PeeringStatus, 'thread'>

/** The messages of the peer thread. */
export type PeerThreadMessage =
  | { readonly kind: 'ready'; readonly enode: string; readonly port: number | null }
  /** It could not start. */
  | { readonly kind: 'failed'; readonly error: NodeErrorMetadata }
  /** Something was thrown that nobody caught: it gives back what it holds and ends. */
  | { readonly kind: 'died'; readonly stack: string }
  | { readonly kind: 'report'; readonly report: PeerReport }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly reason: string }
  | { readonly kind: 'closed' }

/** A call of {@link PeerAdmin} as it crosses threads. */
export type AdminCall = {
  [K in keyof PeerAdmin]: { readonly call: K; readonly args: Parameters<PeerAdmin[K]> }
}[keyof PeerAdmin]

/** The orders to the peer thread. */
export type PeerThreadOrder =
  | ({ readonly kind: 'admin'; readonly id: number } & AdminCall)
  /** The report was taken: the next may follow. */
  | { readonly kind: 'heard' }
  | { readonly kind: 'close' }
