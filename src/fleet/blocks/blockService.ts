import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import { itemAt, parseRLPList } from '../../chain/codec/rlpReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { BlockReference } from '../../storage/blockKey.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { StoredBlocks } from '../../sync/serve/storedBlocks.ts'
import { Fields, pack } from '../member/messageFields.ts'

/** Name of the service (fleet.md §10). */
export const BLOCKS_SERVICE = 'blocks'
/** Most bytes of an answer. */
export const BLOCKS_ANSWER_BYTES: number = 24 * 1024 * 1024
const ANSWER_BLOCKS = 1024
const REQUEST_BYTES = 16 * 1024
/** Most hashes that a request names: distances double, so that no chain needs more. */
const MOST_KNOWN = 64
/** Blocks beside the canonical chain that are followed back. */
const LONGEST_BRANCH = 4096

/** What is asked: blocks up to `target` after the newest of `known`. */
export interface BlocksRequest {
  readonly target: Buffer
  /** Hashes of the caller's canonical chain, newest first. */
  readonly known: readonly Buffer[]
}

export function encodeBlocksRequest({ target, known }: BlocksRequest): Buffer {
  return pack([target, known])
}

/** @throws FleetError `Malformed` */
export function decodeBlocksRequest(bytes: Uint8Array): BlocksRequest {
  const fields = Fields.unpack(bytes, REQUEST_BYTES)
  return { target: fields.hash(), known: fields.list(MOST_KNOWN, (item) => item.hash()) }
}

export function encodeBlocks(blocks: readonly Buffer[]): Buffer {
  return pack([blocks])
}

/** @throws FleetError `Malformed` */
export function decodeBlocks(bytes: Uint8Array): readonly Buffer[] {
  return Fields.unpack(bytes, BLOCKS_ANSWER_BYTES).list(ANSWER_BLOCKS, (item) =>
    item.bytes(BLOCKS_ANSWER_BYTES),
  )
}

/** The hash and the height that a block has by its header; null where it cannot be read. */
export function referenceOf(spec: NetworkSpec, encoded: Buffer): BlockReference | null {
  try {
    const { number, hash } = parseHeader(spec, itemAt(parseRLPList(encoded), 0).bytes)
    return { number, hash }
  } catch {
    return null
  }
}

/** 0, 1, 3, 7 and so on, below an end. */
function* doublingDistances(end: number): Generator<number> {
  for (let distance = 0, step = 1; distance < end; distance += step, step *= 2) yield distance
}

/** Gives other members blocks that they lack, from an environment of its own that writes nothing (fleet.md §5). */
export class BlockService {
  readonly #environment: ChainEnvironment
  readonly #reader: ChainStoreReader
  readonly #stored: StoredBlocks

  constructor(spec: NetworkSpec, environment: ChainEnvironment, reader: ChainStoreReader) {
    this.#environment = environment
    this.#reader = reader
    this.#stored = new StoredBlocks({ spec, reader })
  }

  /**
   * Hashes of the chain up to a block, newest first, at distances that double; genesis is the last.
   * @param newest the heaviest block that is executed here: the canonical head is far below it while a member joins
   */
  known(newest: Buffer): readonly Buffer[] {
    this.#environment.refresh()
    const { branch, block } = this.#branchOf(newest)
    const beside = [...doublingDistances(branch.length)].flatMap((distance) => branch[distance]?.hash ?? [])
    const top = Math.min(block?.number ?? 0, this.#reader.head().number)
    const canonical = [...doublingDistances(top)].flatMap(
      (distance) => this.#reader.hashByNumber(top - distance) ?? [],
    )
    const genesis = this.#reader.hashByNumber(0)
    return [...beside, ...canonical].slice(0, MOST_KNOWN - 1).concat(genesis ?? [])
  }

  /** A block and those before it that are not canonical here, oldest first: what the fleet's head has not come to. */
  *besideCanonical(hash: Buffer): Generator<{ readonly hash: Buffer; readonly encoded: Buffer }> {
    this.#environment.refresh()
    for (const reference of this.#branchOf(hash).branch.toReversed()) {
      const encoded = this.#stored.encoded(reference)
      if (encoded === null) return
      yield { hash: reference.hash, encoded }
    }
  }

  /** Blocks, oldest first, as many as an answer may have; empty when it has not the target. */
  answer({ target, known }: BlocksRequest): readonly Buffer[] {
    this.#environment.refresh()
    const { branch, block } = this.#branchOf(target)
    if (block === null || !this.#isCanonical(block)) return []
    const below = branch.map(({ hash }) => hash.toString('hex'))
    const common = known
      .map((hash) => this.#stored.find(hash))
      .find(
        (found) =>
          found !== null &&
          (below.includes(found.hash.toString('hex')) ||
            (found.number <= block.number && this.#isCanonical(found))),
      )
    const first = (common?.number ?? 0) + 1
    const blocks: Buffer[] = []
    let bytes = 0
    const take = (reference: BlockReference | null): boolean => {
      const encoded = reference && this.#stored.encoded(reference)
      if (!encoded || blocks.length >= ANSWER_BLOCKS) return false
      bytes += encoded.length + 16
      if (bytes > BLOCKS_ANSWER_BYTES / 2 && blocks.length > 0) return false
      blocks.push(encoded)
      return true
    }
    for (let number = first; number <= block.number; number += 1)
      if (!take(this.#stored.at(number))) return blocks
    for (const reference of branch.toReversed())
      if (reference.number >= first && !take(reference)) return blocks
    return blocks
  }

  /** Blocks beside the canonical chain down from one, newest first, and the block that they stand on. */
  #branchOf(hash: Buffer): {
    readonly branch: readonly BlockReference[]
    readonly block: BlockReference | null
  } {
    const branch: BlockReference[] = []
    let block = this.#stored.find(hash)
    while (block !== null && !this.#isCanonical(block) && branch.length < LONGEST_BRANCH) {
      branch.push(block)
      block = this.#stored.parentOf(block)
    }
    return { branch, block }
  }

  #isCanonical({ number, hash }: BlockReference): boolean {
    return this.#reader.hashByNumber(number)?.equals(hash) === true
  }
}
