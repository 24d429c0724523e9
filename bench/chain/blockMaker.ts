import type { Block } from '../../src/chain/codec/block.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { UncleSelection } from '../../src/chain/uncleSelection.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import { BlockBuilder } from '../../src/mining/blockBuilder.ts'
import { sealInProcess } from '../../src/mining/seal.ts'
import type { Workload } from './workloads.ts'

const GAS_LIMIT = 10_000_000n
/** Above the target block time, so that the difficulty stays at its minimum. */
const BLOCK_SECONDS = 30
const BLOCKS_PER_COMMIT = 64
const COINBASE = Buffer.alloc(20, 0xbe)

/** Builds and connects the blocks of a workload on the head of an open regtest chain. */
export class BlockMaker {
  readonly #opened: OpenChain
  readonly #builder: BlockBuilder

  constructor(spec: NetworkSpec, opened: OpenChain) {
    const { chain, nativeSpec, stateStore: store } = opened
    const { ancestry, reader } = chain
    this.#opened = opened
    this.#builder = new BlockBuilder({
      spec,
      nativeSpec,
      store,
      ancestry,
      uncles: new UncleSelection({ spec, nativeSpec, ancestry, reader, now: () => chain.head.timestamp }),
      policy: { coinbase: COINBASE, minimumGasPrice: 0n, gasLimit: GAS_LIMIT, extraData: Buffer.alloc(0) },
    })
  }

  /**
   * Makes the blocks of one commit.
   * @param last height at which it ends at the latest
   * @param onBlock called for each block before it is connected
   */
  makeCommit(
    workload: Workload,
    transactionsPerBlock: number,
    last: number,
    onBlock: (block: Block) => void,
  ): void {
    const { chain } = this.#opened
    const build = (transactions: readonly SignedTransaction[]) => this.#build(transactions)
    // Each block is built when the one before is connected, and many share a commit.
    function* batch(): Generator<Block> {
      for (let i = 0; i < BLOCKS_PER_COMMIT && chain.head.number < last; i++) {
        const prepared = workload.setup[chain.head.number]
        const block = build(prepared ?? workload.next(transactionsPerBlock))
        onBlock(block)
        yield block
      }
    }
    for (const { status } of chain.connectAll(batch())) {
      if (status !== 'IMPORTED_BEST') throw new Error(`after block ${chain.head.number}: ${status}`)
    }
  }

  #build(transactions: readonly SignedTransaction[]): Block {
    const { chain, executor } = this.#opened
    const parent = chain.head
    const built = this.#builder.build(parent, transactions, parent.timestamp + BLOCK_SECONDS)
    const skipped = built.execution.skipped[0]
    if (skipped !== undefined) throw new Error(`block ${parent.number + 1}: ${skipped.reason}`)
    const block = sealInProcess(built.block)
    executor.provideExecution(block, built.parentRoot, built.execution)
    return block
  }
}
