import type { BlockHeader } from '../chain/codec/header.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { bridgeState } from '../native/bridge.ts'
import { callNative, estimateGasNative } from '../native/call.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import { callPrecompile } from '../native/precompile.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { CallInput } from '../native/types.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import { toNativeMessage, toNativeOverride } from './callInput.ts'
import { createSimulation, type Simulate } from './simulation.ts'

/** What a call sees in place of an account's state. Absent fields are left as they are. */
export interface AccountOverride {
  /** 20 bytes. */
  readonly address: Buffer
  /** Wei. */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Buffer
  /** Replaces every cell of the account. */
  readonly state?: ReadonlyMap<bigint, Buffer>
  /** Replaces the cells that it names. */
  readonly stateDiff?: ReadonlyMap<bigint, Buffer>
}

/** A simulated transaction. */
export interface CallRequest {
  /** 20 bytes; null is the zero address. */
  readonly from: Buffer | null
  /** 20 bytes; null creates a contract. */
  readonly to: Buffer | null
  /** Gas that it has; of an estimate the most that may be tried. */
  readonly gas: bigint
  /** Wei. */
  readonly gasPrice: bigint
  /** Wei. */
  readonly value: bigint
  readonly data: Buffer
  readonly overrides: readonly AccountOverride[]
}

/** How a simulation ended. `reason` is a short English text for the user. */
export type CallOutcome =
  | { readonly status: 'success'; readonly output: Buffer; readonly gasUsed: bigint }
  | { readonly status: 'revert'; readonly output: Buffer; readonly gasUsed: bigint }
  | { readonly status: 'failure'; readonly reason: string; readonly gasUsed: bigint }

/** What an estimate found. */
export type EstimateOutcome =
  | { readonly status: 'success'; readonly gas: bigint }
  | { readonly status: 'revert'; readonly output: Buffer }
  | { readonly status: 'insufficientFunds' }
  | { readonly status: 'failure'; readonly reason: string }

/** Simulations on the state after a block, in that block's environment. */
export interface Execution {
  /** @throws NativeError `Interrupted`, `MissingState`, `Unsupported` */
  call(header: BlockHeader, request: CallRequest): CallOutcome
  /** @throws NativeError as {@link call} */
  estimate(header: BlockHeader, request: CallRequest): EstimateOutcome
  /** Calls of pretended blocks. @throws NativeError as {@link call} */
  readonly simulate: Simulate
  /** Whether a precompiled contract is active at the address in that block. */
  isPrecompiled(header: BlockHeader, address: Buffer): boolean
  /** The Bridge after a block. @throws NativeError `MissingState` */
  bridge(header: BlockHeader): BridgeSummary
}

/** What the Bridge tells of itself. */
export interface BridgeSummary {
  /** Height of the best Bitcoin chain that it knows. */
  readonly bitcoinHeight: number
  /** Hashes of the transactions whose Bitcoin transactions wait for signatures. */
  readonly waitingForSignatures: readonly Buffer[]
}

/** Where other threads say that the running simulation is to stop: an element of shared memory. */
export interface InterruptSource {
  readonly flags: Int32Array
  readonly slot: number
}

/** What simulations run on. */
export interface LocalExecutionParts {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  /** Read at the start of each simulation; absent where nothing can stop it. */
  readonly interrupt?: InterruptSource
}

/** Simulations in the native core. */
export function createLocalExecution(parts: LocalExecutionParts): Execution {
  const { nativeSpec, store } = parts
  return {
    call: (header, request) => {
      const { end, output, gas, reason } = callNative(nativeSpec, store, toCallInput(parts, header, request))
      if (end === 'success' || end === 'revert') return { status: end, output, gasUsed: gas }
      return { status: 'failure', reason: reason ?? end, gasUsed: gas }
    },
    estimate: (header, request) => {
      const { end, output, gas, reason } = estimateGasNative(
        nativeSpec,
        store,
        toCallInput(parts, header, request),
      )
      switch (end) {
        case 'success':
          return { status: 'success', gas }
        case 'revert':
          return { status: 'revert', output }
        case 'funds':
          return { status: 'insufficientFunds' }
        case 'halt':
          return { status: 'failure', reason: reason ?? end }
      }
    },
    simulate: createSimulation(parts),
    isPrecompiled: (header, address) =>
      callPrecompile(nativeSpec, store, {
        root: stateRootAfter(parts.spec, store, header),
        block: toBlockEnvironment(header.fields),
        address,
        input: null,
        // It is only asked for.
        gasLimit: 0n,
      }) !== null,
    bridge: (header) =>
      bridgeState(
        nativeSpec,
        store,
        stateRootAfter(parts.spec, store, header),
        toBlockEnvironment(header.fields),
      ),
  }
}

/** A call as the native core takes it, on the state after the block and in its environment. */
export function toCallInput(
  parts: LocalExecutionParts,
  header: BlockHeader,
  request: CallRequest,
): CallInput {
  const { interrupt } = parts
  return {
    root: stateRootAfter(parts.spec, parts.store, header),
    block: toBlockEnvironment(header.fields),
    message: toNativeMessage(request),
    overrides: request.overrides.map(toNativeOverride),
    ...(interrupt === undefined ? {} : { interrupt: { flags: interrupt.flags, slot: interrupt.slot } }),
  }
}
