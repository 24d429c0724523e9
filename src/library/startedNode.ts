import type { Hex } from '../config/networkSpec.ts'

/** A funded account. Everybody knows its key. */
export interface DevelopmentNodeAccount {
  readonly address: Hex
  readonly privateKey: Hex
}

/** Metadata of a running node: plain data, so that it can come from another process. */
export interface NodeMetadata {
  readonly url: string
  readonly webSocketUrl: string
  readonly port: number
  readonly chainId: number
  readonly accounts: readonly DevelopmentNodeAccount[]
}

/** A running node, in this process or in another. */
export interface StartedNode {
  readonly metadata: NodeMetadata
  /** Rejects when the node cannot continue; its rejection is handled. */
  readonly failed: Promise<never>
  /** Call it once. */
  stop(): Promise<void>
}
