import { existsSync } from 'node:fs'
import { ChainStoreReader } from '../chain/chainStoreReader.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import { assertExportable } from '../chain/exportBlocks.ts'
import { checkChainFormat, readGenesis } from '../chain/tables/metadata.ts'
import { isActive } from '../config/activations.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { NativeError } from '../native/errors.ts'
import { StateCopy } from '../native/snapshot.ts'
import { StateStore } from '../native/stateStore.ts'
import { stateRootOfHeader } from '../state/stateRoot.ts'
import { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { readRestoreMarker } from '../storage/restoreMarker.ts'
import { encodeBlockRecord } from './blockRecord.ts'
import { messageOf, SnapshotError } from './errors.ts'
import { formatManifest, type Manifest, SNAPSHOT_VERSION, snapshotId } from './manifest.ts'
import { neededHistory } from './neededHistory.ts'
import type { SnapshotProgressSink } from './snapshotProgress.ts'
import { SnapshotWriter } from './snapshotWriter.ts'

/** Default size of blocks at which another chunk begins, bytes. */
const BLOCK_CHUNK_BYTES = 8 * 1024 * 1024

/**
 * Blocks below the snapshot's that are found through their children, in case of a concurrent reorganisation.
 */
const FOLLOWED_BLOCKS = 2048

export interface CreateSnapshotOptions {
  readonly spec: NetworkSpec
  readonly dataDir: string
  /** Output folder; created if necessary. */
  readonly folder: string
  /** Blocks between the head and the block of the snapshot. */
  readonly depth: number
  /** Number of blocks to include; null for those that the next block needs. */
  readonly blocks: number | null
  /** Least number of blocks; by default those that the next block needs. */
  readonly leastBlocks?: number
  /** Size of blocks at which another chunk begins, bytes; 8 MiB by default. */
  readonly blockChunkBytes?: number
  /** True when to include every block and every state, regardless of `blocks`. */
  readonly full: boolean
  /** Name and version of the program. */
  readonly program: string
  readonly created: Date
  readonly signal?: AbortSignal
  readonly onProgress?: SnapshotProgressSink
}

/** Result of creating a snapshot. */
export interface CreatedSnapshot {
  readonly manifest: Manifest
  readonly id: string
}

/**
 * Copies state and blocks of a data directory, which a node may be using, into a folder. Neither store's
 * snapshot is held for long: the copied data never changes, and the chain is followed by its hashes.
 * @throws SnapshotError; ExportError for a development chain that no other node would accept
 */
export async function createSnapshot(options: CreateSnapshotOptions): Promise<CreatedSnapshot> {
  const { dataDir } = options
  if (readRestoreMarker(dataDir) !== null) {
    throw new SnapshotError(
      'SNAPSHOT_CHAIN',
      `${dataDir} is being restored from a snapshot: finish that first`,
    )
  }
  const folders = storeFolders(dataDir)
  if (!folders.every((folder) => existsSync(folder))) {
    throw new SnapshotError('SNAPSHOT_CHAIN', `${dataDir} holds no chain`)
  }
  const environment = new ChainEnvironment(folders[1], { readOnly: true })
  try {
    checkChainFormat(environment)
    return await new Creation(options, environment).run()
  } finally {
    await environment.close()
  }
}

class Creation {
  readonly #options: CreateSnapshotOptions
  readonly #environment: ChainEnvironment
  readonly #reader: ChainStoreReader
  readonly #store: StateStore
  readonly #writer: SnapshotWriter

  constructor(options: CreateSnapshotOptions, environment: ChainEnvironment) {
    this.#options = options
    this.#environment = environment
    this.#reader = new ChainStoreReader(options.spec, environment)
    this.#store = StateStore.open(storeFolders(options.dataDir)[0], { readOnly: true })
    this.#writer = new SnapshotWriter(options.folder)
  }

  async run(): Promise<CreatedSnapshot> {
    const { spec, full, program, created } = this.#options
    const header = this.#chooseBlock()
    const first = this.#firstBlock(header)
    const root = this.#rootAfter(header)
    const totalDifficulty = this.#totalDifficulty(header.hash)
    await this.#writer.begin()
    await this.#copyStates(root)
    const parentTotalDifficulty = await this.#copyBlocks(header, first)
    const genesis = readGenesis(this.#environment)
    if (genesis === undefined)
      throw new SnapshotError('SNAPSHOT_CHAIN', 'the chain store names no genesis block')
    const manifest: Manifest = {
      version: SNAPSHOT_VERSION,
      network: spec.name,
      genesis: genesis.toString('hex'),
      block: { number: header.number, hash: header.hashHex },
      stateRoot: root.toString('hex'),
      totalDifficulty: String(totalDifficulty),
      first: { number: first, parentTotalDifficulty: String(parentTotalDifficulty) },
      states: full ? 'all' : 'head',
      chunks: this.#writer.chunks,
      created: created.toISOString(),
      program,
    }
    const bytes = Buffer.from(formatManifest(manifest))
    await this.#writer.end(bytes)
    return { manifest, id: snapshotId(bytes) }
  }

  #chooseBlock(): BlockHeader {
    const { depth } = this.#options
    const head = this.#reader.head()
    const header = this.#reader.headerByNumber(head.number - depth)
    if (header === null || header.number === 0) {
      throw new SnapshotError(
        'SNAPSHOT_CHAIN',
        `the chain has ${head.number} blocks: too few for a snapshot ${depth} blocks below its head; choose a smaller --depth`,
      )
    }
    if (this.#reader.hasEditedState(header.hash)) {
      throw new SnapshotError(
        'SNAPSHOT_CHAIN',
        `the state after block ${header.number} was edited by hand: no other node would accept it`,
      )
    }
    return header
  }

  #firstBlock(header: BlockHeader): number {
    const { spec, blocks, full } = this.#options
    const { firstBlock, firstReceipts, firstState } = this.#reader.history()
    const lowest = Math.max(1, firstReceipts)
    const storedBlocks = firstReceipts > firstBlock ? 'blocks with receipts' : 'blocks'
    if (full) {
      if (lowest > 1) {
        throw new SnapshotError(
          'SNAPSHOT_CHAIN',
          `this node keeps ${storedBlocks} from ${lowest} only: it cannot give the full archive`,
        )
      }
      if (firstState > 0) {
        throw new SnapshotError(
          'SNAPSHOT_CHAIN',
          `this node keeps states from block ${firstState} only: it cannot give the full archive`,
        )
      }
      return 1
    }
    const least = this.#options.leastBlocks ?? neededHistory(spec)
    const wanted = Math.max(1, header.number + 1 - (blocks ?? least))
    if (blocks !== null && blocks < least && wanted > 1) {
      throw new SnapshotError(
        'SNAPSHOT_CHAIN',
        `a node restored with ${blocks} blocks could not go on: ${spec.name} needs at least ${least}`,
      )
    }
    if (wanted >= lowest) return wanted
    const available = header.number + 1 - lowest
    throw new SnapshotError(
      'SNAPSHOT_CHAIN',
      `this node keeps ${storedBlocks} from ${lowest} only: at most --blocks ${available} can be given of ${header.number + 1 - wanted}`,
    )
  }

  #rootAfter(header: BlockHeader): Buffer {
    try {
      return stateRootOfHeader(this.#options.spec, this.#store, header)
    } catch (error) {
      throw new SnapshotError('SNAPSHOT_CHAIN', messageOf(error), { cause: error })
    }
  }

  async #copyStates(root: Buffer): Promise<void> {
    const copy = this.#openCopy(root)
    const next = () => copy.next().catch((error: unknown) => this.#failCopy(error))
    let bytes = 0
    let nodes = 0
    for (let piece = await next(); piece !== null; ) {
      this.#stopIfAsked()
      bytes += piece.length
      const items = copy.nodes - nodes
      nodes = copy.nodes
      const from = Number(piece.readBigUInt64LE(0))
      const to = copy.end
      // The next piece is read while this one is compressed.
      const [following] = await Promise.all([next(), this.#writer.add('state', piece, { items, from, to })])
      this.#options.onProgress?.({ phase: 'state', items: nodes, bytes, fraction: null })
      piece = following
    }
  }

  #openCopy(root: Buffer): StateCopy {
    try {
      return new StateCopy(this.#store, this.#options.full ? null : root)
    } catch (error) {
      return this.#failCopy(error)
    }
  }

  /** A node that uses the directory may give the state up meanwhile. */
  #failCopy(error: unknown): never {
    if (!(error instanceof NativeError) || error.code !== 'MissingState') throw error
    this.#environment.refresh()
    const { firstState } = this.#reader.history()
    const kept = firstState === 0 ? '' : `: this node keeps states from block ${firstState}`
    const message = `the state after the block of the snapshot is not kept${kept}`
    throw new SnapshotError('SNAPSHOT_CHAIN', message, { cause: error })
  }

  /** @returns the total difficulty before the first block */
  async #copyBlocks(header: BlockHeader, first: number): Promise<bigint> {
    const newest = this.#followDown(header, first)
    const chunkBytes = this.#options.blockChunkBytes ?? BLOCK_CHUNK_BYTES
    let records: Buffer[] = []
    let size = 0
    let from = first
    let bytes = 0
    let below: Buffer | null = null
    for (let height = first; height <= header.number; height += 1) {
      const hash = newest.get(height) ?? this.#reader.hashByNumber(height)
      const parent = hash === null ? null : this.#reader.headerByHash(hash)?.parentHash
      if (!hash || !parent || (below !== null && !below.equals(parent))) {
        throw new SnapshotError(
          'SNAPSHOT_CHAIN',
          `the chain changed at block ${height} meanwhile: run this again`,
        )
      }
      below = hash
      for (const encoded of this.#recordsAt(height, hash, first)) {
        records.push(encoded)
        size += encoded.length
      }
      if (size < chunkBytes && height < header.number) continue
      await this.#writer.add('blocks', Buffer.concat(records), { items: records.length, from, to: height })
      this.#stopIfAsked()
      // The store's snapshot is renewed, so that it can reuse its space.
      this.#environment.refresh()
      bytes += size
      const done = height - first + 1
      const fraction = done / (header.number - first + 1)
      this.#options.onProgress?.({ phase: 'blocks', items: done, bytes, fraction })
      records = []
      size = 0
      from = height + 1
    }
    const lowest = newest.get(first) ?? this.#reader.hashByNumber(first)
    const block = lowest === null ? null : this.#reader.blockByHash(lowest)
    if (block === null) throw new SnapshotError('SNAPSHOT_CHAIN', `block ${first} is missing`)
    return this.#totalDifficulty(block.hash) - block.cumulativeDifficulty
  }

  /** Hashes of the most recent blocks by height, followed from child to parent. */
  #followDown(header: BlockHeader, first: number): Map<number, Buffer> {
    const hashes = new Map<number, Buffer>()
    let next: BlockHeader | null = header
    while (next !== null && next.number >= first && hashes.size < FOLLOWED_BLOCKS) {
      hashes.set(next.number, next.hash)
      next = this.#reader.headerByHash(next.parentHash)
    }
    return hashes
  }

  /** Records of the blocks of a height, the canonical one first. */
  *#recordsAt(height: number, canonical: Buffer, first: number): Generator<Buffer> {
    yield this.#record(canonical, true)
    // Siblings of the lowest block have a parent outside of the snapshot.
    if (height === first && first > 1) return
    const below = new Set(this.#reader.blocksAt(height - 1).map(({ hash }) => hash.toString('hex')))
    for (const { hash } of this.#reader.blocksAt(height)) {
      if (hash.equals(canonical)) continue
      const parent = this.#reader.headerByHash(hash)?.parentHash.toString('hex')
      if (parent !== undefined && below.has(parent) && this.#isGiven(height - 1, parent, first)) {
        yield this.#record(hash, false)
      }
    }
  }

  /** True when the parent of a side block is in the snapshot: its branch begins at an included block. */
  #isGiven(height: number, hashHex: string, first: number): boolean {
    let hash = Buffer.from(hashHex, 'hex')
    // Every chain begins with genesis.
    for (let at = height; at >= (first === 1 ? 0 : first); at -= 1) {
      if (this.#reader.isCanonical(hash)) return true
      const header = this.#reader.headerByHash(hash)
      if (header === null) return false
      hash = Buffer.from(header.parentHash)
    }
    return false
  }

  #record(hash: Buffer, canonical: boolean): Buffer {
    const block = this.#reader.blockByHash(hash)
    const receipts = block && this.#reader.storedReceipts(block)
    if (block === null || receipts === null) {
      throw new SnapshotError('SNAPSHOT_CHAIN', `block ${hash.toString('hex')} is not whole in the store`)
    }
    assertExportable(this.#reader, block)
    const { spec, full } = this.#options
    const named = !full || isActive(spec, 'rskip126', block.number)
    const stateRoot = named ? Buffer.alloc(0) : stateRootOfHeader(spec, this.#store, block.header)
    return encodeBlockRecord({
      canonical,
      header: block.header.encodedFull,
      body: block.encodedBody,
      receipts,
      stateRoot,
    })
  }

  #totalDifficulty(hash: Buffer): bigint {
    const found = this.#reader.totalDifficulty(hash)
    if (found === null) {
      throw new SnapshotError('SNAPSHOT_CHAIN', `block ${hash.toString('hex')} has no total difficulty`)
    }
    return found
  }

  #stopIfAsked(): void {
    if (this.#options.signal?.aborted === true) {
      throw new SnapshotError('SNAPSHOT_INTERRUPTED', 'stopped: what was written so far is no snapshot')
    }
  }
}
