import type { Test } from 'tap'
import { Block, transactionsRoot } from '../../src/chain/codec/block.ts'
import { BlockHeader } from '../../src/chain/codec/header.ts'
import type { HeaderFields } from '../../src/chain/codec/headerFields.ts'
import { createRemascTransaction, type SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { calculateDifficulty } from '../../src/chain/difficulty.ts'
import { UncleSelection } from '../../src/chain/uncleSelection.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import { BlockBuilder } from '../../src/mining/blockBuilder.ts'
import { type BlockPolicy, draftHeaderFields } from '../../src/mining/blockDraft.ts'
import { sealInProcess } from '../../src/mining/seal.ts'
import { bigIntToSignedBytes, EMPTY_BYTES } from '../../src/util/bytes.ts'
import { openTestChain } from './openTestChain.ts'

const MINER: Buffer = Buffer.alloc(20, 7)

/** How the next blocks are made. */
export interface MakeOptions {
  /** Seconds between blocks. */
  readonly interval?: number
  /** Tells branches apart. */
  readonly label?: string
  /** Miner: 20 bytes, or none. */
  readonly coinbase?: Buffer
  /** Transactions of the first block, as far as they fit. */
  readonly transactions?: readonly SignedTransaction[]
  /** Uncles that headers pretend to have: no rule compares that with the body (consensus.md §2.1). */
  readonly pretendedUncles?: number
}

/** Makes chains with all their proofs: every block is executed, stored and can be built upon. */
export class BlockMaker {
  readonly spec: NetworkSpec
  readonly open: OpenChain
  /** Folder of the stores. */
  readonly dataDir: string
  readonly genesis: Block
  readonly #builder: BlockBuilder
  #label = ''
  #coinbase: Buffer = MINER

  /** @param withUncles whether blocks name the siblings of their ancestors */
  constructor(t: Test, spec: NetworkSpec, withUncles = false) {
    this.spec = spec
    const open = openTestChain(t, { spec })
    this.open = open
    this.dataDir = open.dataDir
    const { chain, nativeSpec, stateStore } = this.open
    const genesis = chain.reader.blockByNumber(0)
    if (genesis === null) throw new Error('no genesis')
    this.genesis = genesis
    const { ancestry, reader } = chain
    const uncles = new UncleSelection({ spec, nativeSpec, ancestry, reader, now: () => 0 })
    if (!withUncles) uncles.select = () => []
    const label = () => Buffer.from(this.#label)
    const coinbase = () => this.#coinbase
    const policy: BlockPolicy = {
      get coinbase() {
        return coinbase()
      },
      minimumGasPrice: 0n,
      gasLimit: 7_500_000n,
      get extraData() {
        return label()
      },
    }
    this.#policy = policy
    this.#builder = new BlockBuilder({ spec, nativeSpec, store: stateStore, ancestry, uncles, policy })
  }

  readonly #policy: BlockPolicy

  /** Makes blocks on one that was made here. */
  extend(
    parent: Block,
    count: number,
    { interval = 10, label = '', coinbase = MINER, transactions = [], pretendedUncles = 0 }: MakeOptions = {},
  ): Block[] {
    this.#label = label
    this.#coinbase = coinbase
    const made: Block[] = []
    for (let tip = parent; made.length < count; ) {
      const waiting = made.length === 0 ? transactions : []
      const { block } = this.#builder.build(tip.header, waiting, tip.header.timestamp + interval)
      tip = sealInProcess(pretendedUncles === 0 ? block : this.#pretend(block, tip, pretendedUncles))
      const { status } = this.open.chain.connect(tip)
      if (status !== 'IMPORTED_BEST' && status !== 'IMPORTED_NOT_BEST') throw new Error(status)
      made.push(tip)
    }
    return made
  }

  #pretend({ header, transactions }: Block, parent: Block, uncleCount: number): Block {
    const difficulty = calculateDifficulty(
      this.spec,
      { number: header.number, timestamp: header.fields.timestamp, uncleCount },
      parent.header,
    )
    return new Block(
      header.with({ uncleCount, difficultyBytes: bigIntToSignedBytes(difficulty) }),
      transactions,
      [],
    )
  }

  /**
   * A block that nobody executed: its header is as the rules of headers want it, its body holds the reward
   * transaction alone, its proof of work is right for what it says.
   */
  forge(parent: Block, changes: Partial<HeaderFields> = {}, interval = 10): Block {
    const draft = draftHeaderFields({
      spec: this.spec,
      policy: this.#policy,
      parent: parent.header,
      timestamp: parent.header.timestamp + interval,
      uncles: [],
      forkDetectionData: EMPTY_BYTES,
    })
    const transactions = [createRemascTransaction(draft.number)]
    const edges = draft.version > 0 ? [] : null
    const txTrieRoot = transactionsRoot(this.spec, draft.number, transactions)
    const header = new BlockHeader({ ...draft, txTrieRoot, edges, ...changes })
    return sealInProcess(new Block(header, transactions, []))
  }

  /** Forged blocks, each on the one before. */
  forgeMany(parent: Block, count: number, interval = 10): Block[] {
    const made: Block[] = []
    for (let tip = parent; made.length < count; made.push(tip)) tip = this.forge(tip, {}, interval)
    return made
  }
}

/** A block with another header and the same proof of work, which is then wrong. */
export function spoil(block: Block, changes: Partial<HeaderFields>): Block {
  return new Block(block.header.with(changes), block.transactions, block.uncles)
}
