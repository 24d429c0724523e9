import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { beginChain } from '../chain/beginChain.ts'
import type { BlockExecutor } from '../chain/blockExecutor.ts'
import { writeBlock } from '../chain/chainWriter.ts'
import type { Block } from '../chain/codec/block.ts'
import { parseHeader } from '../chain/codec/headerDecoder.ts'
import { createGenesis } from '../chain/genesis.ts'
import { logTermsOf } from '../chain/logs/logTerms.ts'
import { blockKey } from '../chain/tables/blockKey.ts'
import { readHeight, setCanonical } from '../chain/tables/heights.ts'
import { LogIndexChanges } from '../chain/tables/logIndex.ts'
import {
  checkChainFormat,
  readHead,
  readRestoredChunks,
  writeChainFormat,
  writeRestoredChunks,
} from '../chain/tables/metadata.ts'
import { readPosition } from '../chain/tables/totalDifficulty.ts'
import { isActive } from '../config/activations.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { NativeGenesisState } from '../execution/genesisState.ts'
import { NativeBlockExecutor } from '../execution/nativeBlockExecutor.ts'
import { createNativeChainSpec } from '../native/chainSpec.ts'
import { lockDirectory } from '../native/directoryLock.ts'
import { StateIntake } from '../native/snapshot.ts'
import { StateStore } from '../native/stateStore.ts'
import type { StoreOptions } from '../native/types.ts'
import { ChainEnvironment, type TableWriter } from '../storage/chainEnvironment.ts'
import { commitBoth } from '../storage/commitBoth.ts'
import { makePrivateFolder, restrictModes, storePaths } from '../storage/fileModes.ts'
import { readRestoreMarker, removeRestoreMarker, writeRestoreMarker } from '../storage/restoreMarker.ts'
import { recordSigned } from '../storage/signedChain.ts'
import { recordStoresCreated } from '../storage/storeFile.ts'
import { type Below, BlockVerifier } from './blockVerifier.ts'
import { SnapshotError } from './errors.ts'
import type { ChunkEntry, Manifest } from './manifest.ts'
import { type OpenedSnapshot, openSnapshot, type SnapshotExpectation } from './openSnapshot.ts'
import { readChunks } from './readChunk.ts'
import type { SnapshotProgressSink } from './snapshotProgress.ts'
import { assertStateComplete, ChunkProgress, stopIfAsked, takeState } from './verifySnapshot.ts'

/** Disk space per byte of contents, for partially filled pages and the indices. */
const DISK_SHARE = 1.5

export interface RestoreSnapshotOptions extends SnapshotExpectation {
  /** Created if necessary; it must not hold a chain. */
  readonly dataDir: string
  readonly storeOptions?: StoreOptions
  readonly signal?: AbortSignal
  readonly onProgress?: SnapshotProgressSink
}

/** Result of a restore. */
export interface RestoredSnapshot extends OpenedSnapshot {
  /** True when an earlier attempt had begun. */
  readonly resumed: boolean
}

/**
 * Restores a snapshot into an empty data directory. Every chunk is checked before any of it is written, and a
 * marker keeps nodes from opening the directory until the end. An interrupted attempt is resumed.
 * @throws SnapshotError
 */
export async function restoreSnapshot(options: RestoreSnapshotOptions): Promise<RestoredSnapshot> {
  const { dataDir } = options
  const opened = await openSnapshot(options)
  makePrivateFolder(dataDir)
  const lock = lockDirectory(dataDir)
  if (lock === null) throw target(`${dataDir} is in use by another process`)
  try {
    const begun = readRestoreMarker(dataDir)
    if (begun !== null && begun !== opened.id) {
      throw target(
        `${dataDir} holds a part of another snapshot, ${begun}: restore that, or delete the directory`,
      )
    }
    if (begun === null) await begin(opened, dataDir)
    const folders = storeFolders(dataDir)
    for (const folder of folders) makePrivateFolder(folder)
    const environment = new ChainEnvironment(folders[1])
    try {
      // A restore that was begun by a build without a format record wrote the tables of this one.
      if (!checkChainFormat(environment)) environment.transaction(beginStore)
      await new Restore(options, opened, environment).run()
    } finally {
      await environment.flushed()
      await environment.close()
    }
    recordStoresCreated(folders)
    restrictModes(folders.flatMap(storePaths))
    removeRestoreMarker(dataDir)
    return { ...opened, resumed: begun !== null }
  } finally {
    lock.release()
  }
}

/** Blocks that are written later take back that all are signed, when one is not. */
function beginStore(writer: TableWriter): void {
  writeChainFormat(writer)
  recordSigned(writer)
}

/** The marker is written before the stores: a folder with a store and without the marker is a chain. */
async function begin(opened: OpenedSnapshot, dataDir: string): Promise<void> {
  if (storeFolders(dataDir).some((folder) => existsSync(folder))) {
    throw target(`${dataDir} holds a chain already: restore into an empty directory`)
  }
  await assertSpace(dataDir, opened.manifest)
  writeRestoreMarker(dataDir, opened.id)
}

async function assertSpace(dataDir: string, { chunks }: Manifest): Promise<void> {
  const needed = Math.ceil(chunks.reduce((sum, { size }) => sum + size, 0) * DISK_SHARE)
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= needed) return
  const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
  throw target(
    `${dataDir} has ${mebibytes(bavail * bsize)} MiB free, the snapshot takes some ${mebibytes(needed)} MiB`,
  )
}

class Restore {
  readonly #options: RestoreSnapshotOptions
  readonly #manifest: Manifest
  readonly #environment: ChainEnvironment
  readonly #store: StateStore
  readonly #executor: BlockExecutor
  readonly #genesis: Block
  readonly #states: StateIntake
  readonly #blocks: BlockVerifier

  constructor(
    options: RestoreSnapshotOptions,
    { manifest, genesis }: OpenedSnapshot,
    environment: ChainEnvironment,
  ) {
    const { spec, dataDir } = options
    this.#options = options
    this.#manifest = manifest
    this.#environment = environment
    this.#genesis = genesis
    this.#store = StateStore.open(storeFolders(dataDir)[0], options.storeOptions)
    this.#executor = new NativeBlockExecutor({
      spec,
      nativeSpec: createNativeChainSpec(spec),
      store: this.#store,
    })
    this.#states = new StateIntake(this.#store, manifest.states === 'head')
    this.#blocks = new BlockVerifier(spec, manifest, genesis)
  }

  async run(): Promise<void> {
    const { source, signal, onProgress } = this.#options
    // Only the marker remained to be removed.
    if (readHead(this.#environment) !== undefined) return
    const progress = new ChunkProgress(this.#manifest, onProgress)
    const left = this.#left(progress)
    for await (const { entry, contents } of readChunks(source, left)) {
      stopIfAsked(signal)
      if (entry.kind === 'state') await takeState(this.#states, entry, contents)
      else await this.#writeBlocks(entry, contents)
      progress.add(entry)
    }
    assertStateComplete(this.#states, this.#manifest)
    this.#blocks.end()
    await this.#finish()
  }

  /** Chunks that an earlier attempt has not written. Each is written atomically. */
  #left(progress: ChunkProgress): ChunkEntry[] {
    const written = readRestoredChunks(this.#environment)
    const { chunks } = this.#manifest
    const blocks = chunks.filter(({ kind }) => kind === 'blocks')
    const states = chunks.filter(({ kind }) => kind === 'state')
    const last = blocks[written - 1]
    if (last !== undefined) this.#blocks.resume(last.to, this.#blocksAt(last.to))
    const done = states.filter(({ to }) => to <= this.#states.end)
    for (const entry of [...done, ...blocks.slice(0, written)]) progress.add(entry)
    return [...states.slice(done.length), ...blocks.slice(written)]
  }

  #blocksAt(height: number): Below[] {
    return readHeight(this.#environment, height).flatMap(({ hash, canonical }) => {
      const position = readPosition(this.#environment, hash)
      if (position === undefined) return []
      return [{ hash: hash.toString('hex'), canonical, totalDifficulty: position.totalDifficulty }]
    })
  }

  async #writeBlocks(entry: ChunkEntry, contents: Buffer): Promise<void> {
    const verified = this.#blocks.verify(entry, contents)
    for (const { block, record, totalDifficulty } of verified) {
      this.#executor.connected(block, totalDifficulty)
      if (record.stateRoot.length > 0) this.#keepRoot(block, record.stateRoot)
    }
    commitBoth(this.#executor, this.#environment, (writer) => {
      const index = new LogIndexChanges()
      for (const { block, record, totalDifficulty } of verified) {
        writeBlock(writer, block, { receipts: record.receipts, totalDifficulty })
        if (!record.canonical) continue
        setCanonical(writer, block.number, block.hash)
        index.add(block.number, logTermsOf(record.receipts))
      }
      index.write(writer)
      writeRestoredChunks(writer, readRestoredChunks(writer) + 1)
    })
    await this.#environment.flushed()
  }

  /** Before RSKIP126 a header does not name the Unitrie root. */
  #keepRoot(block: Block, root: Buffer): void {
    if (!this.#states.hasRoot(root)) {
      throw new SnapshotError(
        'SNAPSHOT_CONTENT',
        `the state of block ${block.number} is not among its chunks`,
      )
    }
    this.#store.putRoot(block.hash, root)
  }

  /** Writes genesis, the head and the remaining records that make a chain of the blocks. */
  async #finish(): Promise<void> {
    const { spec, genesis } = this.#options
    const { block, first, states, stateRoot } = this.#manifest
    const nativeSpec = createNativeChainSpec(spec)
    const writer = new NativeGenesisState({ spec, nativeSpec, store: this.#store })
    const lowest = genesis?.(writer) ?? createGenesis(spec, writer)
    const totalDifficulty = lowest.cumulativeDifficulty
    const head = Buffer.from(block.hash, 'hex')
    this.#executor.connected(lowest, totalDifficulty)
    this.#keepHeadRoot(head, Buffer.from(stateRoot, 'hex'))
    commitBoth(this.#executor, this.#environment, (tables) => {
      const firstBlock = first.number === 1 ? 0 : first.number
      beginChain(tables, spec, {
        genesis: this.#genesis.hash,
        blocks: [{ block: this.#genesis, totalDifficulty }],
        head,
        history: { firstBlock, firstReceipts: firstBlock, firstState: states === 'all' ? 0 : block.number },
      })
      writeRestoredChunks(tables, null)
    })
    await this.#environment.flushed()
  }

  #keepHeadRoot(head: Buffer, root: Buffer): void {
    const header = this.#environment.get(
      'headers',
      blockKey({ number: this.#manifest.block.number, hash: head }),
    )
    if (header === undefined)
      throw new SnapshotError('SNAPSHOT_CONTENT', 'the block of the snapshot is missing')
    const { number } = parseHeader(this.#options.spec, header)
    if (!isActive(this.#options.spec, 'rskip126', number)) this.#store.putRoot(head, root)
  }
}

function target(message: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_TARGET', message)
}
