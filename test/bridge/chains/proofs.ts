import { crypto } from 'bitcoinjs-lib'
import type { BitcoinBlock } from '../../../src/rehearsal/bitcoin/bitcoinChain.ts'
import { reversed } from '../../../src/rehearsal/bitcoin/transactions.ts'

/** The branch of a leaf in the tree of ids, in display order, and the bits of its path. */
export function merkleBranch(
  block: BitcoinBlock,
  index: number,
): { readonly branch: Buffer[]; readonly path: bigint } {
  let level: Buffer[] = block.transactions.map((transaction) => Buffer.from(transaction.getHash()))
  const branch: Buffer[] = []
  let path = 0n
  let place = index
  for (let depth = 0n; level.length > 1; depth += 1n) {
    const sibling = level[place ^ 1] ?? level[place]
    if (sibling !== undefined) branch.push(reversed(sibling))
    if (place % 2 === 1) path |= 1n << depth
    place >>= 1
    const parents: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] ?? Buffer.alloc(0)
      parents.push(Buffer.from(crypto.hash256(Buffer.concat([left, level[at + 1] ?? left]))))
    }
    level = parents
  }
  return { branch, path }
}

/** A header with proof of work on another one: 80 bytes. */
export function headerOn(parent: Buffer, root: Buffer, time: number): Buffer {
  const header = Buffer.alloc(80)
  header.writeUInt32LE(0x20000000, 0)
  Buffer.from(crypto.hash256(parent)).copy(header, 4)
  root.copy(header, 36)
  header.writeUInt32LE(time, 68)
  header.writeUInt32LE(0x207fffff, 72)
  for (let nonce = 0; ; nonce += 1) {
    header.writeUInt32LE(nonce, 76)
    if ((crypto.hash256(header)[31] ?? 0xff) < 0x7f) return header
  }
}
