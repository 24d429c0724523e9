import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Blockchain, ConnectResult } from '../blockchain.ts'
import type { Block } from '../codec/block.ts'
import { InvalidBlockError, type UndecidedBlockError } from '../validation/errors.ts'
import { readBlockFile } from './blockFileReader.ts'
import { decodeReadBlock } from './decodeReadBlock.ts'
import { type ReadBlock, unpackBlocks } from './messages.ts'

/** Progress of an import, reported after each commit. */
export interface ImportProgress {
  /** Blocks read from the file. */
  readonly blocks: number
  /** Blocks newly connected. */
  readonly connected: number
  /** Gas of the connected blocks. */
  readonly gas: bigint
  /** Transactions of the connected blocks. */
  readonly transactions: number
  /** Height of the head. */
  readonly head: number
  /** Bytes of the file read so far, and of the whole file. */
  readonly offset: number
  readonly bytes: number
}

/** Result of an import. */
export interface ImportReport extends ImportProgress {
  /** Blocks that still wait for their parent at the end. */
  readonly orphans: number
  /** The first invalid block, where the import ended; everything before it is stored. */
  readonly invalid: InvalidBlockError | null
  /** The first block that could not be validated, where the import ended likewise. */
  readonly undecided: UndecidedBlockError | null
  /** True when the caller ended it. */
  readonly interrupted: boolean
}

export interface ImportOptions {
  readonly path: string
  readonly spec: NetworkSpec
  readonly chain: Blockchain
  /** Blocks per commit. */
  readonly commitEvery: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called for every block in the order of the file, after its commit. */
  readonly onResult?: (block: Block, result: ConnectResult) => void
}

/**
 * Reads a file of blocks, validates, executes and stores them. A thread of its own reads ahead and recovers
 * senders while this one executes. Blocks that are stored already are skipped, so that an interrupted import
 * resumes.
 * @throws BlockSourceError for a file that cannot be read
 */
export async function importBlocks(options: ImportOptions): Promise<ImportReport> {
  const { chain, spec, signal } = options
  let progress: ImportProgress = {
    blocks: 0,
    connected: 0,
    gas: 0n,
    transactions: 0,
    head: chain.head.number,
    offset: 0,
    bytes: 0,
  }
  let invalid: InvalidBlockError | null = null
  let undecided: UndecidedBlockError | null = null
  const messages = readBlockFile({
    path: options.path,
    spec,
    knownHeight: chain.head.number,
    batchBlocks: options.commitEvery,
  })
  for await (const message of messages) {
    if (message.kind === 'opened') {
      progress = { ...progress, bytes: message.bytes }
      continue
    }
    const outcome = connectBatch(options, unpackBlocks(message))
    invalid = outcome.invalid
    undecided = outcome.undecided
    progress = { ...addOutcome(progress, outcome), offset: message.offset, head: chain.head.number }
    options.onProgress?.(progress)
    if (invalid !== null || undecided !== null || signal?.aborted === true) break
    // Lets signals and timers run between commits.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...progress,
    orphans: chain.orphanCount,
    invalid,
    undecided,
    interrupted: signal?.aborted === true,
  }
}

interface BatchOutcome {
  readonly blocks: number
  readonly connected: readonly Block[]
  readonly invalid: InvalidBlockError | null
  readonly undecided: UndecidedBlockError | null
}

function connectBatch({ chain, spec, onResult }: ImportOptions, batch: readonly ReadBlock[]): BatchOutcome {
  const blocks: Block[] = []
  let undecodable: InvalidBlockError | null = null
  for (const read of batch) {
    const block = decodeReadBlock(spec, read)
    if (block instanceof InvalidBlockError) {
      undecodable = block
      break
    }
    blocks.push(block)
  }
  const results = chain.connectAll(blocks)
  const connected: Block[] = []
  let invalid: InvalidBlockError | null = null
  let undecided: UndecidedBlockError | null = null
  results.forEach((result, index) => {
    const block = blocks[index]
    if (block === undefined) return
    if (result.status === 'IMPORTED_BEST' || result.status === 'IMPORTED_NOT_BEST') connected.push(block)
    if (result.status === 'INVALID_BLOCK') invalid = result.error
    if (result.status === 'UNDECIDED') undecided = result.error
    onResult?.(block, result)
  })
  // An undecodable block is reached only when all before it were connected.
  if (invalid === null && undecided === null) invalid = undecodable
  return { blocks: results.length, connected, invalid, undecided }
}

function addOutcome(progress: ImportProgress, outcome: BatchOutcome): ImportProgress {
  return {
    ...progress,
    blocks: progress.blocks + outcome.blocks,
    connected: progress.connected + outcome.connected.length,
    gas: outcome.connected.reduce((gas, block) => gas + block.header.fields.gasUsed, progress.gas),
    transactions: outcome.connected.reduce(
      (sum, block) => sum + block.transactions.length,
      progress.transactions,
    ),
  }
}
