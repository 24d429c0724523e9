import type { BlockHeader } from '../chain/codec/header.ts'
import type { Log } from '../chain/codec/receipt.ts'
import { type NativeSimulatedResult, simulateNative } from '../native/simulate.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { bigIntToBytes } from '../util/bytes.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import { toNativeMessage, toNativeOverride } from './callInput.ts'
import type { AccountOverride, CallOutcome, CallRequest, LocalExecutionParts } from './localExecution.ts'

/** A call of a pretended block. */
export interface SimulatedCall extends Omit<CallRequest, 'overrides'> {
  /** null is the sender's next one. */
  readonly nonce: bigint | null
  /** Whether the gas is cut to what the block has left. */
  readonly cut: boolean
}

/** A pretended block. */
export interface SimulatedBlock {
  /** What programs see of it. */
  readonly header: BlockHeader
  /** Pretended before its calls. */
  readonly overrides: readonly AccountOverride[]
  readonly calls: readonly SimulatedCall[]
}

/** Why a call could be in no block. */
export type SimulationRefusal = 'nonceTooLow' | 'nonceTooHigh' | 'intrinsicGas' | 'funds' | 'room' | 'other'

/** What came of a simulated call. */
export interface SimulatedOutcome {
  readonly outcome: CallOutcome
  /** Why it could be in no block; null when it could. */
  readonly refusal: SimulationRefusal | null
  readonly logs: readonly Log[]
}

/**
 * Executes pretended blocks, one above the other, on the state after a block. Without validation calls are
 * refused only where they could never be executed: value above the balance, too little or too much gas.
 */
export type Simulate = (
  base: BlockHeader,
  blocks: readonly SimulatedBlock[],
  validate: boolean,
) => readonly (readonly SimulatedOutcome[])[]

/** Simulations of blocks in the native core. */
export function createSimulation(parts: LocalExecutionParts): Simulate {
  const { spec, nativeSpec, store, interrupt } = parts
  return (base, blocks, validate) =>
    simulateNative(nativeSpec, store, {
      root: stateRootAfter(spec, store, base),
      validate,
      blocks: blocks.map(({ header, overrides, calls }) => ({
        // Ancestors are looked up from the base, which is a block that there is.
        environment: toBlockEnvironment({ ...header.fields, parentHash: base.hash }),
        overrides: overrides.map(toNativeOverride),
        calls: calls.map((call) => ({
          message: toNativeMessage(call),
          cut: call.cut,
          ...(call.nonce === null ? {} : { nonce: bigIntToBytes(call.nonce) }),
        })),
      })),
      ...(interrupt === undefined ? {} : { interrupt: { flags: interrupt.flags, slot: interrupt.slot } }),
    }).map((results) => results.map(toOutcome))
}

function toOutcome({ result, refusal, logs }: NativeSimulatedResult): SimulatedOutcome {
  const { end, output, gas, reason } = result
  const outcome: CallOutcome =
    end === 'success' || end === 'revert'
      ? { status: end, output, gasUsed: gas }
      : { status: 'failure', reason: reason ?? end, gasUsed: gas }
  return { outcome, refusal: (refusal ?? null) as SimulationRefusal | null, logs }
}
