import type { BlockHeader } from '../chain/codec/header.ts'
import { orderedRoot } from '../chain/codec/orderedRoot.ts'
import { encodeReceipt, type Log, type Receipt } from '../chain/codec/receipt.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { isActive } from '../config/activations.ts'
import { type NativeSimulatedResult, simulateNative } from '../native/simulate.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { bigIntToBytes, bytesToBigInt } from '../util/bytes.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import { toNativeMessage, toNativeOverride } from './callInput.ts'
import type { AccountOverride, CallOutcome, CallRequest, LocalExecutionParts } from './callTypes.ts'

/** A call of a overridden block. */
export interface SimulatedCall extends Omit<CallRequest, 'overrides' | 'environment'> {
  /** null is the sender's next one. */
  readonly nonce: bigint | null
  /** True when the gas is cut to what the block has left. */
  readonly cut: boolean
}

/** A overridden block. */
export interface SimulatedBlock {
  /** The header that programs see. */
  readonly header: BlockHeader
  /** Overridden before its calls. */
  readonly overrides: readonly AccountOverride[]
  readonly calls: readonly SimulatedCall[]
}

/** Reason why a call could be in no block. */
export type SimulationRefusal = 'nonceTooLow' | 'nonceTooHigh' | 'intrinsicGas' | 'funds' | 'room' | 'other'

/** The outcome of a simulated call. */
export interface SimulatedOutcome {
  readonly outcome: CallOutcome
  /** Reason why it could be in no block; null when it could. */
  readonly refusal: SimulationRefusal | null
  readonly logs: readonly Log[]
  /** Payments of the call and of those below it, in order; none of what was undone. */
  readonly transfers: readonly ValueTransfer[]
  /** Nonce that the call had. */
  readonly nonce: bigint
  /** Gas that the call had, intrinsic gas included. */
  readonly gas: bigint
}

/** A payment between accounts. */
export interface ValueTransfer {
  /** Logs of the call that come before it. */
  readonly logsBefore: number
  /** 20 bytes. */
  readonly from: Buffer
  /** 20 bytes. */
  readonly to: Buffer
  /** Wei. */
  readonly value: bigint
}

/** Roots of a block of a height, as its header has them (consensus.md §2.6). */
export type BodyRoots = (
  number: number,
  transactions: readonly Transaction[],
  receipts: readonly Receipt[],
) => { readonly transactions: Buffer; readonly receipts: Buffer }

/** Makes {@link BodyRoots} of a network. */
export function createBodyRoots({ spec }: Pick<LocalExecutionParts, 'spec'>): BodyRoots {
  return (number, transactions, receipts) => {
    const rskip126 = isActive(spec, 'rskip126', number)
    return {
      transactions: orderedRoot(
        transactions.map(({ encoded }) => encoded),
        rskip126,
      ),
      receipts: orderedRoot(
        receipts.map((receipt) => encodeReceipt(receipt)),
        rskip126,
      ),
    }
  }
}

/**
 * Executes overridden blocks, one above the other, on the state after a block. Without validation calls are
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

function toOutcome({ result, refusal, logs, ...rest }: NativeSimulatedResult): SimulatedOutcome {
  const { end, output, gas, reason } = result
  const outcome: CallOutcome =
    end === 'success' || end === 'revert'
      ? { status: end, output, gasUsed: gas }
      : { status: 'failure', reason: reason ?? end, gasUsed: gas }
  return {
    outcome,
    refusal: (refusal ?? null) as SimulationRefusal | null,
    logs,
    transfers: rest.transfers.map(({ value, ...transfer }) => ({ ...transfer, value: bytesToBigInt(value) })),
    nonce: bytesToBigInt(rest.nonce),
    gas: rest.gas,
  }
}
