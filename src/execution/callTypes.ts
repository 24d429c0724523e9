import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { BlockEnvironment } from '../native/types.ts'

/** An override of an account's state for a call. Absent fields are unchanged. */
export interface AccountOverride {
  /** 20 bytes. */
  readonly address: Buffer
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Buffer
  /** Replaces the whole storage of the account. */
  readonly state?: ReadonlyMap<bigint, Buffer>
  /** Replaces individual storage slots. */
  readonly stateDiff?: ReadonlyMap<bigint, Buffer>
}

/** A simulated transaction. */
export interface CallRequest {
  /** 20 bytes; null is the zero address. */
  readonly from: Buffer | null
  /** 20 bytes; null creates a contract. */
  readonly to: Buffer | null
  /** Gas limit; for an estimate the upper bound. */
  readonly gas: bigint
  /** Wei. */
  readonly gasPrice: bigint
  /** Wei. */
  readonly value: bigint
  readonly data: Buffer
  readonly overrides: readonly AccountOverride[]
  /** Overrides of the block environment. */
  readonly environment?: Partial<BlockEnvironment>
}

/** Outcome of a simulation. `reason` is a short English text for the user. */
export type CallOutcome =
  | { readonly status: 'success'; readonly output: Buffer; readonly gasUsed: bigint }
  | { readonly status: 'revert'; readonly output: Buffer; readonly gasUsed: bigint }
  | { readonly status: 'failure'; readonly reason: string; readonly gasUsed: bigint }

/** Reason why a call or an estimate has no result. */
export type CallFailure =
  | { readonly status: 'revert'; readonly output: Buffer }
  | { readonly status: 'insufficientFunds' }
  | { readonly status: 'failure'; readonly reason: string }

/** Interrupt flag of the running simulation: an element of shared memory that other threads set. */
export interface InterruptSource {
  readonly flags: Int32Array
  readonly slot: number
}

/** Parts of simulations. */
export interface LocalExecutionParts {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  /** Read at the start of each simulation; absent where simulations cannot be interrupted. */
  readonly interrupt?: InterruptSource
  /** True when states may have been edited, which has to be looked up for each call; absent: they may. */
  readonly mayBeEdited?: () => boolean
}
