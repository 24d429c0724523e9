import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import { traceBlockNative, traceCallNative } from '../native/trace.ts'
import type { ExecutableTransaction, TraceOptions } from '../native/types.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import type { CallRequest, InterruptSource } from './callTypes.ts'
import { toExecutable } from './executableTransaction.ts'
import { toCallInput } from './localExecution.ts'
import { type NativeTraceForm, type TraceForm, tracedInForm } from './traceForms.ts'

/** The trace of a transaction. */
export interface TracedTransaction {
  /** Index in the block. */
  readonly index: number
  /** JSON texts: one, or one per element of a flat trace. */
  readonly texts: readonly string[]
}

/** The trace of a simulated transaction. */
export interface TracedCall {
  readonly texts: readonly string[]
  /** RETURN or REVERT data, or the code of the contract that would be created. */
  readonly output: Buffer
}

/** A block to trace. */
export interface TracedBlock {
  readonly block: Block
  readonly parent: BlockHeader
}

/** Traces by executing again. All texts together have at most the bytes that one answer may have. */
export interface TransactionTracer {
  /**
   * Traces the transactions with the indices `wanted`, all when absent, in block order.
   * @throws NativeError `OutputLimit`, `Interrupted`, `MissingState`, `InvalidBlock`
   */
  block(block: TracedBlock, form: TraceForm, wanted?: readonly number[]): readonly TracedTransaction[]
  /** @throws NativeError as {@link block} */
  call(header: BlockHeader, request: CallRequest, form: TraceForm): TracedCall
}

/** The parts that traces run on. */
export interface TransactionTracerParts {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  /** Most bytes of the texts of one call. */
  readonly maxBytes: number
  /** Read at the start of each trace; absent where nothing can stop it. */
  readonly interrupt?: InterruptSource
  /** Lets parallel sublists call the Bridge and REMASC: for recorded chains of scenario tests only. */
  readonly systemContractsInParallel?: boolean
}

/** Cells up to which struct logs show a contract's whole storage (`vm.structured.initStorageLimit`). */
const MAX_INITIAL_CELLS = 10_000

/** Traces in the native core. */
export function createTransactionTracer(parts: TransactionTracerParts): TransactionTracer {
  const { spec, nativeSpec, store } = parts
  return {
    block: ({ block, parent }, form, wanted) => {
      const input = {
        hash: block.hash,
        block: {
          parentRoot: stateRootAfter(spec, store, parent),
          environment: toBlockEnvironment(block.header.fields),
          transactions: toExecutables(block, spec.chainId),
          ...(block.header.fields.edges === null ? {} : { edges: [...block.header.fields.edges] }),
          systemContractsInParallel: parts.systemContractsInParallel ?? false,
        },
        ...(wanted === undefined ? {} : { wanted: [...wanted] }),
      }
      return tracedInForm(form, parts.maxBytes, (native, maxBytes) =>
        traceBlockNative(nativeSpec, store, input, toOptions({ ...parts, maxBytes }, native)),
      )
    },
    call: (header, request, form) => {
      const input = toCallInput(parts, header, request)
      const [trace] = tracedInForm(form, parts.maxBytes, (native, maxBytes) => [
        traceCallNative(nativeSpec, store, input, toOptions({ ...parts, maxBytes }, native)),
      ])
      if (trace === undefined) throw new TypeError('a call has one trace')
      return trace
    },
  }
}

function toOptions({ maxBytes, interrupt }: TransactionTracerParts, form: NativeTraceForm): TraceOptions {
  return {
    ...form,
    maxBytes,
    maxInitialCells: MAX_INITIAL_CELLS,
    ...(interrupt === undefined ? {} : { interrupt: { flags: interrupt.flags, slot: interrupt.slot } }),
  }
}

/** @throws Error for a transaction that no stored block can hold */
function toExecutables(block: Block, chainId: number): ExecutableTransaction[] {
  return block.transactions.map((transaction, index) => {
    const sender = block.senders[index]
    const executable = sender ? toExecutable(transaction, sender, chainId) : null
    if (executable === null) throw new Error(`transaction ${index} of block ${block.hashHex} cannot execute`)
    return executable
  })
}
