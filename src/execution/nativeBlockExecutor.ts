import type { BlockExecutor, ExecutedBlock } from '../chain/blockExecutor.ts'
import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { PrunableStates } from '../chain/statePruning.ts'
import type { Violation } from '../chain/validation/blockRules.ts'
import { createInvalidBlockError } from '../chain/validation/validateBlock.ts'
import type { PrunableValues } from '../chain/valuePruning.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeBlockExecution } from '../native/blockExecution.ts'
import { executeBlock } from '../native/blockExecution.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import { NativeError } from '../native/errors.ts'
import type { StateStore } from '../native/stateStore.ts'
import { findStateRoot, stateRootAfter } from '../state/stateRoot.ts'
import { bytesToBigInt, toHex } from '../util/bytes.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import { toExecutable } from './executableTransaction.ts'
import { nativeAncestorOf } from './nativeAncestor.ts'

/** The parts of a native executor. */
export interface NativeBlockExecutorOptions {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  /** Lets parallel sublists call the Bridge and REMASC: for recorded chains of scenario tests only. */
  readonly systemContractsInParallel?: boolean
  /** Executes offered blocks all the same and compares what comes out: for tests. */
  readonly checksPrebuilt?: boolean
}

/** The result of a builder's execution of a block. */
interface PrebuiltExecution {
  readonly hashHex: string
  /** Root of the state that it was executed on. */
  readonly parentRoot: Buffer
  readonly execution: NativeBlockExecution
}

/** Executes blocks in the native core, on states in its store. */
export class NativeBlockExecutor implements BlockExecutor, PrunableStates, PrunableValues {
  readonly #options: NativeBlockExecutorOptions
  /** The last execution that was kept: when its block becomes the head, cached reads are carried over. */
  #last: { readonly hashHex: string; readonly execution: NativeBlockExecution } | null = null

  #offered: PrebuiltExecution | null = null

  constructor(options: NativeBlockExecutorOptions) {
    this.#options = options
  }

  /**
   * Takes over what this process found when it built a block. When exactly this block comes next on the same
   * state, it is not executed again; what came out is compared with its header like any other result.
   * @param parentRoot root of the state that the block was built on
   */
  provideExecution(block: Block, parentRoot: Buffer, execution: NativeBlockExecution): void {
    this.#offered = { hashHex: block.hashHex, parentRoot, execution }
  }

  execute(block: Block, parent: BlockHeader): ExecutedBlock {
    const { spec, store } = this.#options
    const execution = this.#takePrebuilt(block, parent) ?? this.#execute(block, parent)
    const violation = firstViolation(block, execution, isActive(spec, 'rskip126', block.number))
    if (violation !== null) throw createInvalidBlockError(violation.rule, violation, block)
    execution.keep()
    if (!isActive(spec, 'rskip126', block.number)) {
      store.putRoot(block.hash, execution.stateRoot)
    }
    this.#last = { hashHex: block.hashHex, execution }
    return { receipts: execution.receiptList }
  }

  connected(block: Block, totalDifficulty: bigint): void {
    const { spec, store } = this.#options
    store.putAncestor(nativeAncestorOf(block, totalDifficulty, findStateRoot(spec, store, block.header)))
  }

  headChanged(head: BlockHeader): void {
    const last = this.#last
    if (last?.hashHex !== head.hashHex) {
      this.#options.store.setHead(this.#rootAfter(head))
      return
    }
    this.#last = null
    last.execution.setHead()
  }

  followsFrom(block: BlockHeader): boolean {
    return this.hasStateAfter(block) && this.#options.store.hasOnLine(this.#rootAfter(block))
  }

  nonceAfter(block: BlockHeader, account: Buffer): bigint {
    const found = this.#options.store.account(this.#rootAfter(block), account)
    return found === null ? 0n : bytesToBigInt(found.nonce)
  }

  hasStateAfter(block: BlockHeader): boolean {
    const root = this.#knownRootAfter(block)
    return root !== null && this.#options.store.hasRoot(root)
  }

  floorAfter(block: BlockHeader): number | null {
    const root = this.#knownRootAfter(block)
    return root === null ? null : this.#options.store.floor(root)
  }

  prunableAfter(block: BlockHeader): number | null {
    const root = this.#knownRootAfter(block)
    return root === null ? null : this.#options.store.prunable(root)
  }

  dropBefore(position: number): number {
    return this.#options.store.dropBefore(position)
  }

  hasValuesAfter(block: BlockHeader): boolean {
    const root = this.#knownRootAfter(block)
    return root !== null && (this.#options.store.hasRoot(root) || this.#options.store.hasValues(root))
  }

  dropValuesBefore(block: BlockHeader): number {
    const root = this.#knownRootAfter(block)
    return root === null ? 0 : this.#options.store.dropHistoryBefore(root)
  }

  commit(): void {
    this.#options.store.commit()
  }

  #takePrebuilt(block: Block, parent: BlockHeader): NativeBlockExecution | null {
    const offered = this.#offered
    this.#offered = null
    // A user may have edited the state since.
    if (offered?.hashHex !== block.hashHex || !offered.parentRoot.equals(this.#rootAfter(parent))) return null
    if (this.#options.checksPrebuilt === true) assertSame(offered.execution, this.#execute(block, parent))
    return offered.execution
  }

  #execute(block: Block, parent: BlockHeader): NativeBlockExecution {
    const { spec, nativeSpec, store } = this.#options
    const transactions = block.transactions.map((transaction, index) => {
      const sender = block.senders[index]
      const executable = sender ? toExecutable(transaction, sender, spec.chainId) : null
      if (executable !== null) return executable
      const found = sender ? 'a gas limit above 2^63-1' : 'no sender'
      throw createInvalidBlockError('execution', { expected: `transaction ${index} executes`, found }, block)
    })
    try {
      return executeBlock(nativeSpec, store, {
        parentRoot: this.#rootAfter(parent),
        environment: toBlockEnvironment(block.header.fields),
        transactions,
        ...(block.header.fields.edges === null ? {} : { edges: [...block.header.fields.edges] }),
        systemContractsInParallel: this.#options.systemContractsInParallel ?? false,
      })
    } catch (error) {
      if (!(error instanceof NativeError) || error.code !== 'InvalidBlock') throw error
      throw createInvalidBlockError(
        'execution',
        { expected: 'all transactions execute', found: error.message },
        block,
      )
    }
  }

  /** Null where none was recorded for a block whose header has none. */
  #knownRootAfter(block: BlockHeader): Buffer | null {
    try {
      return this.#rootAfter(block)
    } catch (error) {
      if (error instanceof NativeError && error.code === 'MissingState') return null
      throw error
    }
  }

  #rootAfter(header: BlockHeader): Buffer {
    return stateRootAfter(this.#options.spec, this.#options.store, header)
  }
}

/** @throws Error when building and executing a block do not come to the same */
function assertSame(built: NativeBlockExecution, executed: NativeBlockExecution): void {
  const metadata = ({ stateRoot, receiptList, logsBloom, gasUsed, paidFees }: NativeBlockExecution) =>
    [toHex(stateRoot), toHex(receiptList), toHex(logsBloom), `${gasUsed}`, toHex(paidFees)].join(' ')
  if (metadata(built) !== metadata(executed)) {
    throw new Error(`built: ${metadata(built)}, executed: ${metadata(executed)}`)
  }
}

type ResultRule = 'stateRoot' | 'receiptsRoot' | 'logsBloom' | 'gasUsed' | 'paidFees'

/** The first result that differs from the header, in the order of consensus.md §4.5. */
function firstViolation(
  block: Block,
  execution: NativeBlockExecution,
  checkStateRoot: boolean,
): (Violation & { rule: ResultRule }) | null {
  const { fields } = block.header
  const bytes: [ResultRule, Buffer | null, () => Buffer][] = [
    ['stateRoot', checkStateRoot ? fields.stateRoot : null, () => execution.stateRoot],
    ['receiptsRoot', fields.receiptTrieRoot, () => execution.receiptsRoot],
    ['logsBloom', fields.logsBloom, () => execution.logsBloom],
  ]
  for (const [rule, expected, result] of bytes) {
    if (expected === null) continue
    const found = result()
    if (!expected.equals(found)) return { rule, expected: toHex(expected), found: toHex(found) }
  }
  const numbers: [ResultRule, bigint, bigint][] = [
    ['gasUsed', fields.gasUsed, execution.gasUsed],
    ['paidFees', fields.paidFees ?? 0n, bytesToBigInt(execution.paidFees)],
  ]
  for (const [rule, expected, found] of numbers) {
    if (expected !== found) return { rule, expected: String(expected), found: String(found) }
  }
  return null
}
