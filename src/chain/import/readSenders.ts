import type { NetworkSpec } from '../../config/networkSpec.ts'
import { type Block, parseBlockUnchecked } from '../codec/block.ts'
import { recoverSendersAside } from '../codec/signature.ts'
import type { ReadBlock } from './messages.ts'
import { packSenders } from './senders.ts'

/**
 * Blocks whose senders are recovered in one call: a few milliseconds of decoding per tick of the event loop.
 */
const SLICE = 64

/**
 * Decodes blocks and recovers the senders of their transactions, on all cores and off both threads, while the
 * chain thread executes earlier blocks.
 * @param blocks RLP of whole blocks
 */
export async function readSenders(spec: NetworkSpec, blocks: readonly Buffer[]): Promise<ReadBlock[]> {
  const read: ReadBlock[] = []
  for (let start = 0; start < blocks.length; start += SLICE) {
    const slice = blocks.slice(start, start + SLICE)
    const parsed = slice.map((rlp) => parseOrNull(spec, rlp))
    await recoverTogether(parsed.filter((block) => block !== null))
    for (const [index, rlp] of slice.entries()) {
      const block = parsed[index] ?? null
      read.push({ rlp, senders: block === null ? null : packSenders(block), position: start + index })
    }
  }
  return read
}

async function recoverTogether(blocks: readonly Block[]): Promise<void> {
  const senders = await recoverSendersAside(blocks.flatMap(({ transactions }) => transactions))
  let next = 0
  for (const block of blocks) {
    block.setSenders(senders.slice(next, next + block.transactions.length))
    next += block.transactions.length
  }
}

/**
 * Null for a malformed block, which the chain will report. A block with only a reward transaction has no
 * signature.
 */
function parseOrNull(spec: NetworkSpec, rlp: Buffer): Block | null {
  try {
    const block = parseBlockUnchecked(spec, rlp)
    return block.transactions.length > 1 ? block : null
  } catch {
    return null
  }
}
