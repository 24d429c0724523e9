import type { NetworkSpec } from '../config/networkSpec.ts'
import type { TableWriter } from '../storage/chainEnvironment.ts'
import { writeBlock } from './chainWriter.ts'
import type { Block } from './codec/block.ts'
import { RLP_EMPTY_LIST } from './codec/rlpWriter.ts'
import { recordActivationHeights } from './storedHeights.ts'
import { setCanonical } from './tables/heights.ts'
import { type StoredHistory, writeHead, writeHistory, writeIdentity } from './tables/metadata.ts'

/** The beginning of a chain whose first blocks are not executed here. */
export interface ChainBeginning {
  /** Hash of block 0, by which the chain is known. */
  readonly genesis: Buffer
  /** Blocks that are written with it, without receipts, each with the difficulty of the chain up to and with it. */
  readonly blocks: readonly { readonly block: Block; readonly totalDifficulty: bigint }[]
  /** Hash of the head, which is one of the blocks or stored already. */
  readonly head: Buffer
  readonly history: StoredHistory
}

/** Writes into a new store which chain it holds, and the first of its blocks. */
export function beginChain(
  writer: TableWriter,
  spec: NetworkSpec,
  { genesis, blocks, head, history }: ChainBeginning,
): void {
  for (const { block, totalDifficulty } of blocks) {
    writeBlock(writer, block, { receipts: RLP_EMPTY_LIST, totalDifficulty })
    setCanonical(writer, block.number, block.hash)
  }
  writeIdentity(writer, genesis)
  recordActivationHeights(writer, spec)
  writeHistory(writer, history)
  writeHead(writer, head)
}
