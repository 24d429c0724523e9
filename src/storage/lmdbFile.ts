import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import {
  LMDB_LAYOUTS,
  type LmdbLayout,
  type LmdbTree,
  META,
  NO_PAGE,
  readTree,
  TREE_BYTES,
} from './lmdbLayout.ts'
import { LmdbPages } from './lmdbPages.ts'

/** Checks of a file of LMDB. Anything but `none` is only right where nobody writes the file. */
export interface LmdbCheck {
  /**
   * Which pages are read besides those at its beginning: all that are in use, those that a start has time for, or none.
   * LMDB itself trusts what it reads: it writes to a free page of any number, and ends the process at many others.
   */
  readonly pages: 'all' | 'quick' | 'none'
}

/**
 * Largest file of which a quick look reads every page, bytes: some 50 ms. Of others it reads the list of free pages.
 */
const QUICK_BYTES = 32 * 2 ** 20
/**
 * Bytes that a file may be shorter than its newest meta page says. Pages that a transaction took and freed again are
 * not written; no transaction has that many.
 */
const MAX_UNWRITTEN_BYTES = 2 ** 30

const MAGIC = 0xbeefc0de
const VERSION_MASK = 0xffff
const MIN_PAGE_BYTES = 512
const MAX_PAGE_BYTES = 65_536
/**
 * Positions behind the header of a meta page: magic, version, address, map size, two trees, last page, transaction; with
 * lmdb-js the boot of the system in which it was written.
 */
const VERSION = 4
const TREES = 24
const LAST_PAGE = TREES + 2 * TREE_BYTES
const TRANSACTION = LAST_PAGE + 8
const BOOT = TRANSACTION + 8
const META_BYTES = BOOT + 8
/** Kinds of a meta page's two trees: the one of free pages has numbers as keys, and the file's flags above them. */
const TREE_FLAGS = [0x08, 0]
const TREE_FLAGS_MASK = 0x0fff
/**
 * Among the file's flags: lmdb-js wrote the meta page before what it describes was flushed. Its `transactionSync`
 * never does; the commits that make tables do.
 */
const UNFLUSHED = 0x1000
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** Looks at a file that another process, such as a command on keys, may be writing. */
const TRIES = 5

interface MetaPage {
  readonly layout: LmdbLayout
  readonly pageBytes: number
  readonly trees: readonly LmdbTree[]
  readonly lastPage: bigint
  readonly transaction: bigint
  /** Of the system that wrote it; 0 where that is not known. */
  readonly boot: bigint
  readonly isUnflushed: boolean
}

/**
 * What is wrong with a file of LMDB, in its own format or that of lmdb-js; null when nothing is, or there is none.
 * Asked before the file is mapped, for a page that is not there ends the process with a signal.
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
      if (damage === null) break
    }
    return damage
  } finally {
    closeSync(file)
  }
}

function checkFile(file: number, pages: LmdbCheck['pages']): string | null {
  const { size } = fstatSync(file)
  if (size === 0) return null
  const first = readMeta(file, 0)
  if (first === null) return 'its first meta page is not one'
  const second = readMeta(file, first.pageBytes)
  if (second === null || second.pageBytes !== first.pageBytes || second.layout !== first.layout)
    return 'its second meta page is not one'
  const newest = second.transaction > first.transaction ? second : first
  const boot = bootId()
  let opened = newest
  if (!mayBeOpened(newest, boot)) {
    // The power was cut perhaps: of the pages written since the last flush any may have reached the disk.
    const flushed = readFlushedMeta(file, first)
    if (flushed === null) return 'its page of the last flush is not one'
    opened = safer(safer(first, second, boot), flushed, boot)
  } else if (!followOneAnother(first.transaction, second.transaction)) {
    return `its meta pages are of the transactions ${first.transaction} and ${second.transaction}`
  }
  const needed = (opened.lastPage + 1n) * BigInt(opened.pageBytes)
  if (needed > BigInt(size) + BigInt(MAX_UNWRITTEN_BYTES))
    return `its newest meta page tells of ${opened.lastPage + 1n} pages, and it has ${Math.floor(size / opened.pageBytes)}`
  const walk = new LmdbPages(file, size, opened)
  // Pages at the end that are free again may never have been written: then only the trees show it.
  if (needed > BigInt(size) || pages === 'all' || (pages === 'quick' && size <= QUICK_BYTES))
    return walk.check()
  return pages === 'quick' ? walk.checkFreeList() : null
}

/** True when what a meta page describes was written in this boot of the system, or had reached the disk before it. */
function mayBeOpened(meta: MetaPage, boot: bigint): boolean {
  return !meta.isUnflushed || (meta.boot !== 0n && meta.boot === boot)
}

/** The one of two meta pages with which lmdb-js goes on (mdb_pick_meta of a process that is the first to open). */
function safer(a: MetaPage, b: MetaPage, boot: bigint): MetaPage {
  if (b.transaction === 0n) return a
  const latest = a.transaction >= b.transaction ? a : b
  if (mayBeOpened(latest, boot)) return latest
  return a.transaction > b.transaction ? b : a
}

/** This boot of the system as lmdb-js records it: the first digits of its id; 0 where there is none. */
function bootId(): bigint {
  try {
    const [digits = ''] = readFileSync(BOOT_ID_FILE, 'utf8').split('-')
    return BigInt(`0x${digits}`)
  } catch {
    return 0n
  }
}

/** Transactions write the two pages by turns; both are of none in a new file. */
function followOneAnother(even: bigint, odd: bigint): boolean {
  if (even === 0n && odd === 0n) return true
  return even % 2n === 0n && (even === odd + 1n || odd === even + 1n)
}

function readMeta(file: number, at: number): MetaPage | null {
  const bytes = Buffer.alloc(MAX_HEADER_BYTES + META_BYTES)
  if (readSync(file, bytes, 0, bytes.length, at) < bytes.length) return null
  for (const [version, layout] of LMDB_LAYOUTS) {
    const meta = bytes.subarray(layout.header)
    const isMeta = bytes.readUInt16LE(layout.flags) === META && meta.readUInt32LE(0) === MAGIC
    if (!isMeta || (meta.readUInt32LE(VERSION) & VERSION_MASK) !== version) continue
    return parseMeta(meta, layout)
  }
  return null
}

/**
 * What lmdb-js described last of what had reached the disk, in the middle of the first page: of transaction 0 before
 * the first flush, null for what is no such description. Magic number, version and header are never written there.
 */
function readFlushedMeta(file: number, first: MetaPage): MetaPage | null {
  const { layout, pageBytes } = first
  const bytes = Buffer.alloc(META_BYTES)
  const at = pageBytes / 2 + layout.header
  if (readSync(file, bytes, 0, META_BYTES, at) < META_BYTES) return null
  if (bytes.readBigUInt64LE(TRANSACTION) === 0n) return { ...first, transaction: 0n }
  const meta = parseMeta(bytes, layout)
  return meta?.pageBytes === pageBytes ? meta : null
}

/** @param meta what follows the header of the page */
function parseMeta(meta: Buffer, layout: LmdbLayout): MetaPage | null {
  const pageBytes = meta.readUInt32LE(TREES)
  if (pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES || (pageBytes & (pageBytes - 1)) !== 0)
    return null
  const lastPage = meta.readBigUInt64LE(LAST_PAGE)
  const trees = TREE_FLAGS.map((_, tree) => readTree(meta, TREES + tree * TREE_BYTES))
  const isPlausible = trees.every(
    ({ flags, root }, tree) =>
      (flags & TREE_FLAGS_MASK) === TREE_FLAGS[tree] && (root === NO_PAGE || root <= lastPage),
  )
  if (!isPlausible || lastPage > BigInt(Number.MAX_SAFE_INTEGER) / BigInt(pageBytes)) return null
  return {
    layout,
    pageBytes,
    trees,
    lastPage,
    transaction: meta.readBigUInt64LE(TRANSACTION),
    boot: meta.readBigUInt64LE(BOOT),
    isUnflushed: layout.hasFlushes && ((trees[0]?.flags ?? 0) & UNFLUSHED) !== 0,
  }
}

const MAX_HEADER_BYTES = Math.max(...[...LMDB_LAYOUTS.values()].map(({ header }) => header))
