const HEIGHT_LENGTH = 8
const HASH_LENGTH = 32

/** Bytes of a {@link blockKey}. */
export const BLOCK_KEY_LENGTH = HEIGHT_LENGTH + HASH_LENGTH

/** A block by its height and hash. */
export interface BlockReference {
  readonly number: number
  /** 32 bytes. */
  readonly hash: Buffer
}

/**
 * Key of the data of a block: height 8 ∥ hash 32. The height comes first so that neighbours share pages: a
 * range of blocks is read from few of them, and a growing chain writes at the end of its tables.
 */
export function blockKey({ number, hash }: BlockReference): Buffer {
  const key = Buffer.allocUnsafe(BLOCK_KEY_LENGTH)
  key.writeUInt32BE(Math.floor(number / 2 ** 32), 0)
  key.writeUInt32BE(number >>> 0, 4)
  key.set(hash, HEIGHT_LENGTH)
  return key
}

/** Height in a {@link blockKey}. */
export function heightOfKey(key: Buffer): number {
  return key.readUInt32BE(0) * 2 ** 32 + key.readUInt32BE(4)
}
