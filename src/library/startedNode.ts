import type { DevelopmentNodeAccount } from './developmentNode.ts'

/** What callers learn of a node that answers: plain data, so that it can come from another process. */
export interface NodeMetadata {
  readonly url: string
  readonly webSocketUrl: string
  readonly port: number
  readonly chainId: number
  readonly accounts: readonly DevelopmentNodeAccount[]
}

/** A node that answers, in this process or in another. */
export interface StartedNode {
  readonly metadata: NodeMetadata
  /** Rejects when the node cannot go on; its rejection is handled. */
  readonly failed: Promise<never>
  /** To be called once. */
  stop(): Promise<void>
}
