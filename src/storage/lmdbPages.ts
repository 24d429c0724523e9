import { readSync } from 'node:fs'
import {
  BRANCH,
  LEAF,
  type LmdbLayout,
  type LmdbTree,
  NO_PAGE,
  OVERFLOW,
  readTree,
  TREE_BYTES,
} from './lmdbLayout.ts'

const NODE_HEADER = 8
const BIG_DATA = 0x01
const SUB_TREE = 0x02
const FIRST_PAGE = 2
const FREE_TREE = 0
const NUMBER_BYTES = 8

/** The facts of a file that a walk needs. */
export interface LmdbMetadata {
  readonly layout: LmdbLayout
  readonly pageBytes: number
  /** The tree of free pages, and that of the names of the others. */
  readonly trees: readonly LmdbTree[]
  readonly lastPage: bigint
  /** The newest transaction. */
  readonly transaction: bigint
}

/** Something is wrong with a page; the message says what. */
class PageFault extends Error {}

/** The nodes that a walk found below a tree's root. */
interface Found {
  branches: number
  leaves: number
  runPages: number
  entries: number
}

/** A node of a leaf or a branch, by its offsets in the page. */
interface NodeOffsets {
  readonly low: number
  readonly flags: number
  readonly key: Buffer
  /** Offset of its data, and the number of bytes that its head says it has. */
  readonly data: number
}

/**
 * Follows the trees of a file of LMDB to every page: each is there and the one it says, is used once and not free,
 * holds its nodes in the order of their keys, and the trees have as many as their descriptions say.
 */
export class LmdbPages {
  readonly #file: number
  readonly #size: number
  readonly #metadata: LmdbMetadata
  readonly #used: Uint8Array
  readonly #free: number[] = []

  /** @param size of the file in bytes */
  constructor(file: number, size: number, metadata: LmdbMetadata) {
    this.#file = file
    this.#size = size
    this.#metadata = metadata
    this.#used = new Uint8Array(
      Math.min(Number(metadata.lastPage), Math.floor(size / metadata.pageBytes)) + 1,
    )
  }

  /** The fault that was found; null when there is none. */
  check(): string | null {
    return this.#checkTrees(this.#metadata.trees)
  }

  /** The same of the list of free pages alone, which says where the next transactions write. */
  checkFreeList(): string | null {
    return this.#checkTrees(this.#metadata.trees.slice(FREE_TREE, FREE_TREE + 1))
  }

  #checkTrees(trees: readonly LmdbTree[]): string | null {
    try {
      for (const [index, tree] of trees.entries()) this.#checkTree(tree, index === FREE_TREE)
      for (const page of this.#free) {
        if (this.#used[page] === 1) throw new PageFault(`page ${page} is in use and free`)
      }
      return null
    } catch (error) {
      if (error instanceof PageFault) return error.message
      throw error
    }
  }

  #checkTree(tree: LmdbTree, isFree: boolean): void {
    const found: Found = { branches: 0, leaves: 0, runPages: 0, entries: 0 }
    if (tree.root !== NO_PAGE) this.#checkPage(tree.root, 1, tree, isFree, found)
    const isSame =
      BigInt(found.branches) === tree.branches &&
      BigInt(found.leaves) === tree.leaves &&
      BigInt(found.runPages) === tree.runPages &&
      BigInt(found.entries) === tree.entries
    if (!isSame) throw new PageFault(`the tree of page ${tree.root} is not the one that is described`)
  }

  #checkPage(number: bigint, depth: number, tree: LmdbTree, isFree: boolean, found: Found): void {
    const { layout, pageBytes } = this.#metadata
    this.#take(number, 1n)
    const page = Buffer.alloc(pageBytes)
    readSync(this.#file, page, 0, pageBytes, Number(number) * pageBytes)
    const kind = page.readUInt16LE(layout.flags)
    const isLeaf = depth === tree.depth
    if (page.readBigUInt64LE(0) !== number || kind !== (isLeaf ? LEAF : BRANCH)) throw overwritten(number)
    this.#checkTransaction(page, number)
    if (isLeaf) found.leaves += 1
    else found.branches += 1
    let before: Buffer | null = null
    for (const node of this.#nodesOf(page, number, isLeaf)) {
      // The first key of a branch is not kept.
      const hasKey = isLeaf || before !== null
      if (hasKey && before !== null && before.length > 0 && compare(before, node.key, isFree) >= 0)
        throw overwritten(number)
      before = node.key
      if (isLeaf) this.#checkLeafNode(page, number, node, isFree, found)
      else this.#checkPage(BigInt(node.low) + (BigInt(node.flags) << 32n), depth + 1, tree, isFree, found)
    }
  }

  *#nodesOf(page: Buffer, number: bigint, isLeaf: boolean): Generator<NodeOffsets> {
    const { header, base, flags } = this.#metadata.layout
    const lower = base + page.readUInt16LE(flags + 2)
    const upper = base + page.readUInt16LE(flags + 4)
    if (lower < header || lower > upper || upper > page.length || lower % 2 !== 0) throw overwritten(number)
    for (let entry = header; entry < lower; entry += 2) {
      const at = base + page.readUInt16LE(entry)
      if (at < upper || at + NODE_HEADER > page.length) throw overwritten(number)
      const low = page.readUInt32LE(at)
      const nodeFlags = page.readUInt16LE(at + 4)
      const data = at + NODE_HEADER + page.readUInt16LE(at + 6)
      const end = data + (isLeaf ? ((nodeFlags & BIG_DATA) === 0 ? low : this.#metadata.layout.runBytes) : 0)
      if (end > page.length || (isLeaf && (nodeFlags & ~(BIG_DATA | SUB_TREE)) !== 0))
        throw overwritten(number)
      yield { low, flags: nodeFlags, key: page.subarray(at + NODE_HEADER, data), data }
    }
  }

  #checkLeafNode(page: Buffer, number: bigint, node: NodeOffsets, isFree: boolean, found: Found): void {
    found.entries += 1
    const { low, flags, data } = node
    if ((flags & BIG_DATA) !== 0) {
      const start = page.readBigUInt64LE(data)
      const pages = this.#checkRun(start, low)
      found.runPages += pages
      if (isFree) this.#recordFree(this.#read(start, this.#metadata.layout.header, low), number)
    } else if (isFree) {
      this.#recordFree(page.subarray(data, data + low), number)
    } else if ((flags & SUB_TREE) !== 0) {
      if (low !== TREE_BYTES) throw overwritten(number)
      const tree = readTree(page, data)
      if (tree.flags !== 0) throw overwritten(number)
      this.#checkTree(tree, false)
    }
  }

  /** Pages of a value that has pages of its own. */
  #checkRun(start: bigint, bytes: number): number {
    const { header, flags } = this.#metadata.layout
    this.#take(start, 1n)
    const head = this.#read(start, 0, header)
    const pages = head.readUInt32LE(flags + 2)
    const needed = Math.floor((header - 1 + bytes) / this.#metadata.pageBytes) + 1
    if (head.readBigUInt64LE(0) !== start || head.readUInt16LE(flags) !== OVERFLOW || pages < needed)
      throw overwritten(start)
    this.#checkTransaction(head, start)
    if (pages > 1) this.#take(start + 1n, BigInt(pages - 1))
    return pages
  }

  /** LMDB takes a page of a later transaction for one that it has copied, and writes to it where it is mapped. */
  #checkTransaction(page: Buffer, number: bigint): void {
    const { layout, transaction } = this.#metadata
    if (layout.transaction !== null && page.readBigUInt64LE(layout.transaction) > transaction)
      throw overwritten(number)
  }

  /**
   * Records pages of a list of free ones: their count, then numbers, a negative one being the length of the run that
   * begins with the next.
   */
  #recordFree(list: Buffer, number: bigint): void {
    const count = list.length < NUMBER_BYTES ? -1 : Number(list.readBigInt64LE(0))
    if (count < 0 || (count + 1) * NUMBER_BYTES > list.length) throw overwritten(number)
    let length = 1n
    for (let at = 1; at <= count; at += 1) {
      const page = list.readBigInt64LE(at * NUMBER_BYTES)
      if (page > 0n) {
        if (page < FIRST_PAGE || page + length - 1n > this.#metadata.lastPage) throw overwritten(number)
        for (let free = page; free < page + length; free += 1n) this.#free.push(Number(free))
      }
      length = page < 0n ? -page : 1n
    }
  }

  /** Records that pages are in use. */
  #take(start: bigint, count: bigint): void {
    const { lastPage, pageBytes } = this.#metadata
    const end = start + count - 1n
    if (start < FIRST_PAGE || end > lastPage)
      throw new PageFault(`page ${end} lies behind the last one, ${lastPage}`)
    if ((end + 1n) * BigInt(pageBytes) > BigInt(this.#size))
      throw new PageFault(`page ${end} of ${lastPage + 1n} is missing: the file was cut short`)
    for (let page = Number(start); page <= Number(end); page += 1) {
      if (this.#used[page] === 1) throw new PageFault(`page ${page} is used twice`)
      this.#used[page] = 1
    }
  }

  #read(page: bigint, offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    readSync(this.#file, bytes, 0, length, Number(page) * this.#metadata.pageBytes + offset)
    return bytes
  }
}

function overwritten(page: bigint): PageFault {
  return new PageFault(`page ${page} was overwritten`)
}

/** Keys of free pages are numbers, others strings of bytes. */
function compare(a: Buffer, b: Buffer, isNumber: boolean): number {
  if (!isNumber) return Buffer.compare(a, b)
  if (a.length !== NUMBER_BYTES || b.length !== NUMBER_BYTES) return 1
  return a.readBigUInt64LE(0) < b.readBigUInt64LE(0) ? -1 : 1
}
