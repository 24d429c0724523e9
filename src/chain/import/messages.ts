import type { NetworkSpec } from '../../config/networkSpec.ts'
import { asBuffer } from '../../util/bytes.ts'

/** Start parameters of the reader thread. */
export interface ReaderInput {
  readonly path: string
  readonly spec: NetworkSpec
  /** Blocks up to this height are probably stored: their senders are not recovered ahead. */
  readonly knownHeight: number
  /** Blocks per message. */
  readonly batchBlocks: number
}

/** A block sent by the reader thread. */
export interface ReadBlock {
  readonly rlp: Buffer
  /** Senders and hashes of the transactions (`packSenders`); null when they were not looked for. */
  readonly senders: Buffer | null
  /** Line or number in the file, from 1 on. */
  readonly position: number
}

/** A batch of blocks in few buffers, which are transferred without a copy. */
export interface PackedBlocks {
  readonly rlp: Uint8Array<ArrayBuffer>
  readonly senders: Uint8Array<ArrayBuffer>
  /** Per block: end in `rlp`, end in `senders`, whether recovered, position. */
  readonly table: Float64Array<ArrayBuffer>
}

/** Messages of the reader thread. */
export type ReaderMessage =
  | ReaderEvent
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly position: number; readonly message: string }

/** Message to the reader thread: it may send one more batch. */
export const NEXT_BATCH = 'next'

const COLUMNS = 4

/** Copies blocks into new buffers, which may be transferred. */
export function packBlocks(blocks: readonly ReadBlock[]): PackedBlocks {
  const rlp = new Uint8Array(blocks.reduce((sum, block) => sum + block.rlp.length, 0))
  const senders = new Uint8Array(blocks.reduce((sum, block) => sum + (block.senders?.length ?? 0), 0))
  const table = new Float64Array(blocks.length * COLUMNS)
  let rlpEnd = 0
  let sendersEnd = 0
  blocks.forEach((block, index) => {
    rlp.set(block.rlp, rlpEnd)
    rlpEnd += block.rlp.length
    if (block.senders !== null) senders.set(block.senders, sendersEnd)
    sendersEnd += block.senders?.length ?? 0
    table.set([rlpEnd, sendersEnd, block.senders === null ? 0 : 1, block.position], index * COLUMNS)
  })
  return { rlp, senders, table }
}

/** The blocks of a batch, as views of its memory. */
export function unpackBlocks({ rlp, senders, table }: PackedBlocks): ReadBlock[] {
  const blocks: ReadBlock[] = []
  let rlpStart = 0
  let sendersStart = 0
  for (let row = 0; row < table.length; row += COLUMNS) {
    const [rlpEnd = 0, sendersEnd = 0, recovered = 0, position = 0] = table.subarray(row, row + COLUMNS)
    blocks.push({
      rlp: asBuffer(rlp).subarray(rlpStart, rlpEnd),
      senders: recovered === 1 ? asBuffer(senders).subarray(sendersStart, sendersEnd) : null,
      position,
    })
    rlpStart = rlpEnd
    sendersStart = sendersEnd
  }
  return blocks
}

/** Results of reading a file, in order. */
export type ReaderEvent =
  | { readonly kind: 'opened'; readonly bytes: number; readonly format: string }
  /** `offset`: bytes of the file up to the end of the last block. */
  | ({ readonly kind: 'blocks'; readonly offset: number } & PackedBlocks)
