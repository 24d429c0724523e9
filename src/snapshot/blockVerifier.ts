import { checkContent, checkReceiptList } from '../chain/check/checkBlock.ts'
import { type Block, blockFromParts } from '../chain/codec/block.ts'
import { recoverSendersOfBlocks } from '../chain/import/senders.ts'
import { checkProofOfWork } from '../chain/validation/proofOfWork.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { createNativeChainSpec, type NativeChainSpec } from '../native/chainSpec.ts'
import { type BlockRecord, decodeBlockRecords } from './blockRecord.ts'
import { messageOf, SnapshotError } from './errors.ts'
import type { ChunkEntry, Manifest } from './manifest.ts'

/** A verified block of a snapshot. */
export interface VerifiedBlock {
  readonly block: Block
  readonly record: BlockRecord
  /** Total difficulty of its chain, including it. */
  readonly totalDifficulty: bigint
}

/** A block below those that follow. */
export interface Below {
  /** 64 hex digits. */
  readonly hash: string
  readonly canonical: boolean
  readonly totalDifficulty: bigint
}

/**
 * Checks the blocks of a snapshot in the order of the chunks: each is complete, continues the one before, and
 * has the transactions, uncles and receipts that its header commits to; the last is the block of the
 * manifest, with its total difficulty. Its headers need no proof of work: the snapshot vouches for the hash
 * of the last one. Side blocks must prove theirs; that they satisfy the other rules is vouched for by the
 * manifest.
 */
export class BlockVerifier {
  readonly #spec: NetworkSpec
  readonly #manifest: Manifest
  readonly #nativeSpec: NativeChainSpec
  /** Height of the last canonical block. */
  #height: number
  #last: string | null = null
  /** Total difficulties of the blocks of the height below and of this one, by hash. */
  #below = new Map<string, bigint>()
  #here = new Map<string, bigint>()

  /** @param genesis block 0 of the chain, the parent of block 1 */
  constructor(spec: NetworkSpec, manifest: Manifest, genesis: Block) {
    this.#spec = spec
    this.#manifest = manifest
    this.#nativeSpec = createNativeChainSpec(spec)
    const { number, parentTotalDifficulty } = manifest.first
    this.#height = number - 1
    if (number === 1) {
      if (BigInt(parentTotalDifficulty) !== genesis.cumulativeDifficulty) {
        throw content('the total difficulty before block 1 is not that of genesis')
      }
      this.#last = genesis.hashHex
      this.#here.set(genesis.hashHex, genesis.cumulativeDifficulty)
    } else if (BigInt(parentTotalDifficulty) <= genesis.cumulativeDifficulty) {
      throw content(`the total difficulty before block ${number} is not above that of genesis`)
    }
  }

  /** Resumes after blocks that were verified before: those of one height. */
  resume(height: number, blocks: readonly Below[]): void {
    this.#height = height
    this.#here = new Map(blocks.map(({ hash, totalDifficulty }) => [hash, totalDifficulty]))
    this.#last = blocks.find(({ canonical }) => canonical)?.hash ?? null
  }

  /** The blocks of a chunk, senders recovered. @throws SnapshotError `SNAPSHOT_CONTENT` */
  verify(entry: ChunkEntry, contents: Buffer): VerifiedBlock[] {
    const verified = this.#decode(contents).map((record) => this.#verifyRecord(record))
    if (verified.length !== entry.items) {
      throw content(`chunk ${entry.hash} holds ${verified.length} blocks, the manifest says ${entry.items}`)
    }
    if (this.#height !== entry.to) {
      throw content(`chunk ${entry.hash} ends with block ${this.#height}, the manifest says ${entry.to}`)
    }
    recoverSendersOfBlocks(verified.map(({ block }) => block))
    for (const { block } of verified) {
      const index = block.senders.indexOf(null)
      if (index >= 0) throw content(`${nameOf(block)}: nobody signed its transaction ${index}`)
    }
    return verified
  }

  /** Call it after the last chunk. @throws SnapshotError `SNAPSHOT_CONTENT` */
  end(): void {
    const { block, totalDifficulty } = this.#manifest
    if (this.#last !== block.hash) {
      throw content(`its blocks end with ${this.#last}, the manifest names ${block.hash}`)
    }
    const found = this.#here.get(block.hash)
    if (found !== BigInt(totalDifficulty)) {
      throw content(
        `the total difficulty of its last block is ${found}, the manifest says ${totalDifficulty}`,
      )
    }
  }

  #decode(contents: Buffer): BlockRecord[] {
    try {
      return [...decodeBlockRecords(contents)]
    } catch (error) {
      throw content(`a chunk of blocks does not decode: ${messageOf(error)}`, error)
    }
  }

  #verifyRecord(record: BlockRecord): VerifiedBlock {
    const block = this.#parse(record)
    if (record.canonical) {
      this.#below = this.#here
      this.#here = new Map()
      this.#height += 1
    }
    if (block.number !== this.#height) {
      throw content(`${nameOf(block)} stands where block ${this.#height} is expected`)
    }
    if (!record.canonical) this.#verifyWork(block)
    const totalDifficulty = this.#totalDifficultyBelow(block, record.canonical) + block.cumulativeDifficulty
    this.#here.set(block.hashHex, totalDifficulty)
    if (record.canonical) this.#last = block.hashHex
    this.#verifyState(block, record)
    return { block, record, totalDifficulty }
  }

  #parse(record: BlockRecord): Block {
    try {
      const block = blockFromParts(this.#spec, record.header, record.body)
      const problems = [
        ...checkContent(this.#spec, block, block.hash),
        ...checkReceiptList(this.#spec, block, record.receipts),
      ]
      if (problems.length > 0) throw content(`${nameOf(block)}: ${problems.join('; ')}`)
      return block
    } catch (error) {
      if (error instanceof SnapshotError) throw error
      throw content(`a block at height ${this.#height} or above does not decode: ${messageOf(error)}`, error)
    }
  }

  #totalDifficultyBelow(block: Block, canonical: boolean): bigint {
    const parent = block.header.parentHash.toString('hex')
    if (canonical) {
      const { first } = this.#manifest
      if (this.#last !== null && this.#last !== parent) {
        throw content(`${nameOf(block)} does not stand on block ${this.#height - 1} ${this.#last}`)
      }
      if (block.number === first.number) return BigInt(first.parentTotalDifficulty)
    }
    const found = this.#below.get(parent)
    if (found === undefined) throw content(`${nameOf(block)} stands on a block that is not in the snapshot`)
    return found
  }

  #verifyWork(block: Block): void {
    const context = { spec: this.#spec, nativeSpec: this.#nativeSpec, disabledRules: new Set<never>() }
    const fault = checkProofOfWork(context, block.header)
    if (fault !== null)
      throw content(`${nameOf(block)} beside the chain: ${fault.found} in place of ${fault.expected}`)
  }

  /** The last header names the state, where headers name Unitrie roots. */
  #verifyState(block: Block, { canonical }: BlockRecord): void {
    const { block: last, stateRoot } = this.#manifest
    if (!canonical || block.hashHex !== last.hash) return
    const named = block.header.fields.stateRoot.toString('hex')
    if (isActive(this.#spec, 'rskip126', block.number) && named !== stateRoot) {
      throw content(`${nameOf(block)} names the state ${named}, the manifest ${stateRoot}`)
    }
  }
}

function nameOf(block: Block): string {
  return `block ${block.number} ${block.hashHex}`
}

function content(message: string, cause?: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_CONTENT', message, { cause })
}
