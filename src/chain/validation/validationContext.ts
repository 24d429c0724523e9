import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { NativeChainSpec } from '../../native/chainSpec.ts'
import type { Ancestry } from '../ancestry.ts'
import type { BlockHeader } from '../codec/header.ts'
import type { OptionalRule } from './blockRules.ts'

/** Context of the rules beyond the block and its parent. */
export interface ValidationContext {
  readonly spec: NetworkSpec
  /** The same network as the native core holds it. */
  readonly nativeSpec: NativeChainSpec
  /** Disabled rules. Empty on every network. */
  readonly disabledRules: ReadonlySet<OptionalRule>
  /** Recent connected blocks. */
  readonly ancestry: Ancestry
  /** Header of a connected block, or undefined. */
  headerByHash(hash: Buffer): BlockHeader | undefined
  /** Nonce of an account (20 bytes, or the reward sender's single byte) in the state after a block. */
  nonceAfter(block: BlockHeader, account: Buffer): bigint
  /** Seconds since 1970. */
  now(): number
}

/** The part of the context that the rules of headers and uncles need. */
export type HeaderContext = Omit<ValidationContext, 'nonceAfter'>
