import type { MemoryUse } from './memoryUse.ts'

/** Subscriptions of all connections of a client. */
export interface SubscriptionBudget {
  subscriptions: number
  /** Largest number of them; 0 is any number. */
  readonly limits: { readonly subscriptions: number }
}

/** A client connection that takes notifications. */
export interface EventConnection {
  /** Shared with other connections of its client; none where they do not count together. */
  readonly budget?: SubscriptionBudget
  /** Memory of its client, from which subscriptions draw; none where nobody counts. */
  readonly memory?: MemoryUse
  /** Sends bytes that are overwritten after the call. Whether the client keeps up is the connection's matter. */
  notify(frame: Uint8Array): void
  /** Bytes that the client has not read yet; none where nobody counts. */
  readonly waiting?: number
  /** Calls back when the client has read some of them, and not at all when it goes away first. */
  whenRead?(action: () => void): void
  /** Ends the connection. @param code of RFC 6455 */
  end?(code: number, reason: string): void
}
