import type { Ancestry } from '../chain/ancestry.ts'
import { Block, transactionsRoot } from '../chain/codec/block.ts'
import { BlockHeader } from '../chain/codec/header.ts'
import type { HeaderFields } from '../chain/codec/headerFields.ts'
import { REMASC_SENDER } from '../chain/codec/signature.ts'
import { createRemascTransaction, type SignedTransaction } from '../chain/codec/transaction.ts'
import { calculateForkDetectionData, FORK_DETECTION_ANCESTORS } from '../chain/forkDetection.ts'
import type { UncleSelection } from '../chain/uncleSelection.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { toBlockEnvironment } from '../execution/blockEnvironment.ts'
import { toExecutable } from '../execution/executableTransaction.ts'
import { buildBlock, type NativeBlockExecution } from '../native/blockExecution.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import type { StateStore } from '../native/stateStore.ts'
import { stateRootAfter } from '../state/stateRoot.ts'
import { bytesToBigInt, EMPTY_BYTES } from '../util/bytes.ts'
import { type BlockPolicy, draftHeaderFields, includesForkDetectionData } from './blockDraft.ts'
import { chooseCandidates } from './candidates.ts'
import { MiningError } from './errors.ts'
import { executeReadable, type Unreadable } from './executeReadable.ts'

/** Parts of a builder. */
export interface BlockBuilderParams {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  readonly ancestry: Ancestry
  readonly uncles: UncleSelection
  readonly policy: BlockPolicy
}

/** A built block without its proof of work. */
export interface BuiltBlock {
  /** Its header has no Bitcoin fields. */
  readonly block: Block
  /** RLP of the receipts, one per transaction. */
  readonly receipts: readonly Buffer[]
  /** Result of executing the block; the state is not stored yet. */
  readonly execution: NativeBlockExecution
  /** Root of the state that it was built on. */
  readonly parentRoot: Buffer
  /** Transactions that no block on this parent admits, whatever else is in it. */
  readonly unfit: readonly SignedTransaction[]
  /** Those of them that read what the network of a fork never gives. */
  readonly unreadable: readonly Unreadable[]
}

/** Builds blocks by executing candidates; the native core assigns them to sublists (RSKIP144). */
export class BlockBuilder {
  readonly #params: BlockBuilderParams

  constructor(params: BlockBuilderParams) {
    this.#params = params
  }

  /**
   * The next block on a parent. Candidates that are invalid or do not fit are skipped.
   * @param inBlockOrder candidates in the order of preference
   * @param timestamp seconds since 1970
   * @throws MiningError `FORK_DETECTION`
   */
  build(parent: BlockHeader, inBlockOrder: Iterable<SignedTransaction>, timestamp: number): BuiltBlock {
    const { spec } = this.#params
    const { draft, uncles } = this.#draft(parent, timestamp)
    const { number } = draft
    const { chosen, unfit } = chooseCandidates(spec, inBlockOrder, {
      number,
      minimumGasPrice: draft.minimumGasPrice ?? 0n,
      gasLimit: bytesToBigInt(draft.gasLimitBytes),
    })
    const remasc = { transaction: createRemascTransaction(number), sender: REMASC_SENDER }
    const parentRoot = stateRootAfter(spec, this.#params.store, parent)
    const run = (list: readonly SignedTransaction[]) => this.#execute(parentRoot, draft, [...list, remasc])
    const { execution, kept, unreadable } = executeReadable(run, chosen)
    const candidates = [...kept, remasc]
    const included = execution.included.flatMap((index) => candidates[index] ?? [])
    const transactions = included.map(({ transaction }) => transaction)
    const header = new BlockHeader({
      ...draft,
      stateRoot: execution.stateRoot,
      txTrieRoot: transactionsRoot(spec, number, transactions),
      receiptTrieRoot: execution.receiptsRoot,
      logsBloom: execution.logsBloom,
      edges: execution.edges ?? null,
      gasUsed: execution.gasUsed,
      paidFees: bytesToBigInt(execution.paidFees),
    })
    const block = new Block(header, transactions, uncles)
    block.setSenders(included.map(({ sender }) => sender))
    const hopeless = execution.skipped.flatMap(({ hopeless, index }) =>
      hopeless ? (candidates[index] ?? []) : [],
    )
    const never = [...unfit, ...unreadable.map(({ signed }) => signed), ...hopeless]
    return { block, receipts: execution.receipts, execution, parentRoot, unfit: never, unreadable }
  }

  /** The draft of the header, with uncles if these are valid, else without. */
  #draft(parent: BlockHeader, timestamp: number): { draft: HeaderFields; uncles: readonly BlockHeader[] } {
    const { spec, policy, uncles: selection } = this.#params
    const forkDetectionData = this.#forkDetectionData(parent)
    const draftWith = (uncles: readonly BlockHeader[]) =>
      draftHeaderFields({ spec, policy, parent, timestamp, uncles, forkDetectionData })
    const uncles = selection.select(parent)
    if (uncles.length > 0) {
      const draft = draftWith(uncles)
      if (selection.isAllowed(new Block(new BlockHeader(draft), [], uncles))) return { draft, uncles }
    }
    return { draft: draftWith([]), uncles: [] }
  }

  #execute(
    parentRoot: Buffer,
    draft: HeaderFields,
    candidates: readonly SignedTransaction[],
  ): NativeBlockExecution {
    const { spec, nativeSpec, store } = this.#params
    return buildBlock(nativeSpec, store, {
      parentRoot,
      environment: toBlockEnvironment(draft),
      transactions: candidates.map(({ transaction, sender }) => {
        const executable = toExecutable(transaction, sender, spec.chainId)
        // The pool rejects gas limits that cannot run (consensus.md §9.1 rule 8).
        if (executable === null) throw new TypeError(`gas limit of ${transaction.hashHex} cannot run`)
        return executable
      }),
    })
  }

  #forkDetectionData(parent: BlockHeader): Buffer {
    const { spec, ancestry } = this.#params
    if (!includesForkDetectionData(spec, parent.number + 1)) return EMPTY_BYTES
    const data = calculateForkDetectionData(ancestry.walk(parent.hashHex, FORK_DETECTION_ANCESTORS))
    if (data !== null) return data
    throw new MiningError('FORK_DETECTION', `an ancestor of block ${parent.number + 1} has no Bitcoin header`)
  }
}
