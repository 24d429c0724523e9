import type { Block } from './codec/block.ts'

/**
 * A block as a line of the reference's own exports, which its ConnectBlocks tool reads:
 * `number,hash,totalDifficulty,RLP` with hexadecimal digits without `0x`. The difficulty of the chain up to
 * the block is written as a signed number: a zero byte comes before one whose first bit is set.
 */
export function referenceLine(block: Block, totalDifficulty: bigint): string {
  return `${block.number},${block.hashHex},${signedHex(totalDifficulty)},${block.encoded.toString('hex')}\n`
}

function signedHex(value: bigint): string {
  const digits = value.toString(16)
  const bytes = digits.length % 2 === 0 ? digits : `0${digits}`
  return Number.parseInt(bytes.slice(0, 2), 16) < 0x80 ? bytes : `00${bytes}`
}
