import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** How a file of LMDB is looked at. */
export interface LmdbCheck {
  /** Reads every page that is in use, too: only right where nobody writes the file. */
  readonly pages: boolean
}

const MAGIC = 0xbeefc0de
const VERSION = 2
const SMALLEST_PAGE = 512
const LARGEST_PAGE = 65_536
/** Number, transaction, padding, flags and bounds of a page. */
const PAGE_HEADER = 24
/** Sizes of a node's head, of a tree's description, and where its root stands in it. */
const NODE_HEADER = 8
const TREE_BYTES = 48
const TREE_ROOT = 40
/** Places in a meta page, behind its header: magic, version, address, map size, two trees, last page, transaction. */
const META_TREES = 24
const META_LAST_PAGE = META_TREES + 2 * TREE_BYTES
const META_TRANSACTION = META_LAST_PAGE + 8
const META_BYTES = PAGE_HEADER + META_TRANSACTION + 16

const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
const META = 0x08
const BIG_DATA = 0x01
const SUB_TREE = 0x02
const NO_PAGE = 0xffff_ffff_ffff_ffffn

/** Looks at a meta page that is being written while it is read. */
const TRIES = 5

interface MetaPage {
  readonly pageBytes: number
  readonly roots: readonly bigint[]
  readonly lastPage: bigint
  readonly transaction: bigint
}

/**
 * What is wrong with a file of LMDB as lmdb-js writes it; null when nothing is, or there is none. Asked before the
 * file is mapped, for a page that is not there ends the process with a signal.
 * @param path of the file, not of its folder
 */
export function checkLmdbFile(path: string, { pages }: LmdbCheck): string | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    let damage: string | null = null
    for (let tries = 0; tries < TRIES; tries += 1) {
      damage = checkFile(file, pages)
      if (damage === null || pages) break
    }
    return damage
  } finally {
    closeSync(file)
  }
}

function checkFile(file: number, walks: boolean): string | null {
  const { size } = fstatSync(file)
  if (size === 0) return null
  const first = readMeta(file, 0)
  if (first === null) return 'its first meta page is not one'
  const second = readMeta(file, first.pageBytes)
  if (second === null || second.pageBytes !== first.pageBytes) return 'its second meta page is not one'
  const newest = second.transaction > first.transaction ? second : first
  const needed = (newest.lastPage + 1n) * BigInt(newest.pageBytes)
  if (walks) return checkPages(file, newest, size)
  // Pages at the end that are free again may never have been written: then only the tree tells.
  return needed <= BigInt(size) ? null : checkPages(file, newest, size)
}

function readMeta(file: number, at: number): MetaPage | null {
  const bytes = Buffer.alloc(META_BYTES)
  if (readSync(file, bytes, 0, META_BYTES, at) < META_BYTES) return null
  const meta = bytes.subarray(PAGE_HEADER)
  const pageBytes = meta.readUInt32LE(META_TREES)
  const isMeta = (bytes.readUInt16LE(18) & META) !== 0 && meta.readUInt32LE(0) === MAGIC
  if (!isMeta || (meta.readUInt32LE(4) & 0xffff) !== VERSION) return null
  if (pageBytes < SMALLEST_PAGE || pageBytes > LARGEST_PAGE || (pageBytes & (pageBytes - 1)) !== 0)
    return null
  return {
    pageBytes,
    roots: [0, 1].map((tree) => meta.readBigUInt64LE(META_TREES + tree * TREE_BYTES + TREE_ROOT)),
    lastPage: meta.readBigUInt64LE(META_LAST_PAGE),
    transaction: meta.readBigUInt64LE(META_TRANSACTION),
  }
}

/** Follows the trees to every page: each must be there, be the one it says, and hold its nodes. */
function checkPages(file: number, { pageBytes, roots, lastPage }: MetaPage, size: number): string | null {
  const page = Buffer.alloc(pageBytes)
  const pagesInFile = BigInt(Math.floor(size / pageBytes))
  const waiting = roots.filter((root) => root !== NO_PAGE)
  const seen = new Set<bigint>(waiting)
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (number > lastPage) return `page ${number} lies behind the last one, ${lastPage}`
    if (number >= pagesInFile) return `page ${number} of ${lastPage + 1n} is missing: the file was cut short`
    readSync(file, page, 0, pageBytes, Number(number) * pageBytes)
    const found = pagesBelow(page, number)
    if (found === null) return `page ${number} was overwritten`
    for (const below of found.trees) {
      if (seen.has(below)) return `page ${below} is used twice`
      seen.add(below)
      waiting.push(below)
    }
    for (const { start, count } of found.runs) {
      if (start + count > pagesInFile) return `page ${start + count - 1n} is missing: the file was cut short`
    }
  }
  return null
}

/** Pages that a page of a tree leads to; null when it is no such page. */
function pagesBelow(page: Buffer, number: bigint) {
  const flags = page.readUInt16LE(18)
  const lower = page.readUInt16LE(20)
  const upper = page.readUInt16LE(22)
  const room = page.length - PAGE_HEADER
  const kind = flags & (BRANCH | LEAF | OVERFLOW | META)
  if (page.readBigUInt64LE(0) !== number || (kind !== BRANCH && kind !== LEAF)) return null
  if (lower > upper || upper > room || lower % 2 !== 0) return null
  const trees: bigint[] = []
  const runs: { readonly start: bigint; readonly count: bigint }[] = []
  for (let place = 0; place < lower; place += 2) {
    const node = PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + place)
    if (node + NODE_HEADER > page.length) return null
    const low = page.readUInt32LE(node)
    const nodeFlags = page.readUInt16LE(node + 4)
    const data = node + NODE_HEADER + page.readUInt16LE(node + 6)
    if (kind === BRANCH) {
      if (data > page.length) return null
      trees.push(BigInt(low) + (BigInt(nodeFlags) << 32n))
      continue
    }
    const bytes = (nodeFlags & BIG_DATA) === 0 ? low : 3 * 8
    if (data + bytes > page.length) return null
    if ((nodeFlags & BIG_DATA) !== 0) {
      runs.push({ start: page.readBigUInt64LE(data), count: page.readBigUInt64LE(data + 16) })
    } else if ((nodeFlags & SUB_TREE) !== 0) {
      if (bytes < TREE_BYTES) return null
      const root = page.readBigUInt64LE(data + TREE_ROOT)
      if (root !== NO_PAGE) trees.push(root)
    }
  }
  return { trees, runs }
}
