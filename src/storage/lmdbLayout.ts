/** Layout of a page of LMDB; its versions differ. Positions are bytes from the beginning of the page. */
export interface LmdbLayout {
  /** Bytes before the offsets of nodes, or before the rest of a meta page. */
  readonly header: number
  /** The byte from which offsets inside of a page are counted. */
  readonly base: number
  /** Kind of the page, 2 bytes; bounds of its free space follow, 2 bytes each, or the pages of a run, 4 bytes. */
  readonly flags: number
  /** Bytes of a node that stand for a value on pages of its own; they begin with the number of the first. */
  readonly runBytes: number
  /** Offset at which a page says which transaction wrote it, 8 bytes; null where pages do not say. */
  readonly transaction: number | null
  /** True when meta pages may be written before what they describe, and flushes are recorded in the first page. */
  readonly hasFlushes: boolean
}

/** The layouts by the version in the meta page: 1 is LMDB's own, 2 that of lmdb-js. */
export const LMDB_LAYOUTS: ReadonlyMap<number, LmdbLayout> = new Map([
  [1, { header: 16, base: 0, flags: 10, runBytes: 8, transaction: null, hasFlushes: false }],
  [2, { header: 24, base: 24, flags: 18, runBytes: 24, transaction: 8, hasFlushes: true }],
])

/** Kinds of pages. */
export const BRANCH = 0x01
export const LEAF = 0x02
export const OVERFLOW = 0x04
export const META = 0x08

/** Stands for the root of a tree without pages. */
export const NO_PAGE = 0xffff_ffff_ffff_ffffn

/** Bytes of a tree's description. */
export const TREE_BYTES = 48

/** A tree as it is described in a meta page, or in the node of its name. */
export interface LmdbTree {
  readonly flags: number
  readonly depth: number
  readonly branches: bigint
  readonly leaves: bigint
  readonly runPages: bigint
  readonly entries: bigint
  readonly root: bigint
}

/** Reads a tree's description. */
export function readTree(bytes: Buffer, at: number): LmdbTree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branches: bytes.readBigUInt64LE(at + 8),
    leaves: bytes.readBigUInt64LE(at + 16),
    runPages: bytes.readBigUInt64LE(at + 24),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  }
}
