import { crypto } from 'bitcoinjs-lib'

/** The Merkle root of hashes in internal order. */
export function merkleRoot(hashes: readonly Uint8Array[]): Buffer {
  let level: Buffer[] = hashes.map((hash) => Buffer.from(hash))
  while (level.length > 1) level = parents(level)
  const [root] = level
  if (root === undefined) throw new RangeError('a Merkle tree has one leaf at least')
  return root
}

/**
 * A partial Merkle tree that proves one leaf (BIP 37): number of leaves, hashes depth first, flags.
 * @param hashes all leaves, internal order
 */
export function partialMerkleTree(hashes: readonly Uint8Array[], index: number): Buffer {
  const levels: Buffer[][] = [hashes.map((hash) => Buffer.from(hash))]
  for (let level: Buffer[] = levels[0] ?? []; level.length > 1; levels.push(level)) level = parents(level)
  const flags: boolean[] = []
  const kept: Buffer[] = []
  const visit = (height: number, position: number): void => {
    const hash = levels[height]?.[position]
    if (hash === undefined) return
    const isOnPath = index >> height === position
    flags.push(isOnPath)
    if (height === 0 || !isOnPath) {
      kept.push(hash)
      return
    }
    visit(height - 1, position * 2)
    visit(height - 1, position * 2 + 1)
  }
  visit(levels.length - 1, 0)
  const count = Buffer.alloc(4)
  count.writeUInt32LE(hashes.length)
  const bits = Buffer.alloc(Math.ceil(flags.length / 8))
  for (const [at, flag] of flags.entries()) {
    if (flag) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  }
  // A block of the simulation has far fewer than 253 transactions: a count is one byte.
  return Buffer.concat([count, Buffer.from([kept.length]), ...kept, Buffer.from([bits.length]), bits])
}

function parents(level: readonly Buffer[]): Buffer[] {
  return level.flatMap((hash, index) =>
    index % 2 === 1 ? [] : [Buffer.from(crypto.hash256(Buffer.concat([hash, level[index + 1] ?? hash])))],
  )
}
