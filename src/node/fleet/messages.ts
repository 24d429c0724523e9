import type { MessagePort } from 'node:worker_threads'
import type { NodeErrorMetadata } from '../errors.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/** The messages between the front thread and the fleet thread, beside the calls of `fleet/interface.ts`. */

/** The options with which the fleet thread is started. */
export interface FleetThreadSetup {
  readonly options: FleetOptions
  /**
   * To the front thread: it serves `FleetFrontService` and has `FleetThreadService` with the events `FleetFrontEvent`.
   */
  readonly front: MessagePort
  /** To the chain thread: it serves `FleetChainService` with `FleetChainEvent` and has `FleetTeller`. */
  readonly chain: MessagePort
}

/** How the fleet thread starts and ends. */
export type FleetThreadMessage =
  | { readonly kind: 'ready' }
  /** It cannot take part as things are configured. */
  | { readonly kind: 'failed'; readonly error: NodeErrorMetadata }
  /** It cannot go on: another thread is to try again. */
  | { readonly kind: 'died'; readonly reason: string }
  | { readonly kind: 'closed' }

/** The orders to the fleet thread. */
export type FleetThreadOrder = { readonly kind: 'close' }
