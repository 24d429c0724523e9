import type { TableReader, TableWriter } from '../../storage/chainEnvironment.ts'
import { bigIntToBytes, bytesToBigInt } from '../../util/bytes.ts'

const HEADERS_KEY = Buffer.from('snapshotHeaders')
const TARGET_KEY = Buffer.from('snapshotTarget')
const STATE_KEY = Buffer.from('snapshotState')
const BLOCKS_KEY = Buffer.from('snapshotBlocks')
const KEYS = [HEADERS_KEY, TARGET_KEY, STATE_KEY, BLOCKS_KEY]

const HEIGHT_BYTES = 6
const HASH_BYTES = 32
/** First byte of the state record: whether the state is complete. */
const WHOLE = 1
const PARTIAL = 0

/** The block whose state is downloaded. Its headers were checked from genesis on. */
export interface SnapshotTarget {
  readonly number: number
  readonly hash: Buffer
  /** Root of the Unitrie after it. */
  readonly stateRoot: Buffer
  /** Computed from the headers and uncles below it. */
  readonly totalDifficulty: bigint
  /** Size of the state as announced by peers, bytes; unverified. */
  readonly size: number
}

/** Progress of the blocks below a {@link SnapshotTarget}, which are downloaded in descending order. */
export interface SnapshotBlocks {
  /** The next block to download, with its total difficulty. */
  readonly number: number
  readonly hash: Buffer
  readonly totalDifficulty: bigint
}

/** Progress of the state: the saved intake; null when the state is complete. */
export interface SnapshotState {
  readonly saved: Buffer | null
}

/** Stored progress of an unfinished snapshot synchronisation. */
export interface SnapshotSyncState {
  /** The most recent checked headers, encoded by the code that checks them. */
  readonly headers: Buffer | null
  readonly target: SnapshotTarget | null
  readonly state: SnapshotState | null
  readonly blocks: SnapshotBlocks | null
}

/** Reads the progress of a snapshot synchronisation; all null where none has begun. */
export function readSnapshotSyncState(reader: TableReader): SnapshotSyncState {
  const read = (key: Buffer) => reader.get('metadata', key) ?? null
  const [headers, target, state, blocks] = [
    read(HEADERS_KEY),
    read(TARGET_KEY),
    read(STATE_KEY),
    read(BLOCKS_KEY),
  ]
  return {
    headers,
    target: target && targetFrom(target),
    state: state && { saved: state[0] === WHOLE ? null : state.subarray(1) },
    blocks: blocks && blocksFrom(blocks),
  }
}

/**
 * Records what has changed of the progress; null clears it, when the synchronisation has ended or was given up. A new
 * target discards the progress of another state and its blocks.
 */
export function writeSnapshotSyncState(
  writer: TableWriter,
  changed: { readonly [K in keyof SnapshotSyncState]?: NonNullable<SnapshotSyncState[K]> } | null,
): void {
  if (changed === null) {
    for (const key of KEYS) if (writer.get('metadata', key) !== undefined) writer.remove('metadata', key)
    return
  }
  const { headers, target, state, blocks } = changed
  if (headers !== undefined) writer.put('metadata', HEADERS_KEY, headers)
  if (target !== undefined) writeTarget(writer, target)
  if (state !== undefined) writeState(writer, state)
  if (blocks !== undefined) writeBlocks(writer, blocks)
}

function writeTarget(writer: TableWriter, target: SnapshotTarget): void {
  const { number, hash, stateRoot, totalDifficulty, size } = target
  const numbers = Buffer.alloc(2 * HEIGHT_BYTES)
  numbers.writeUIntBE(number, 0, HEIGHT_BYTES)
  numbers.writeUIntBE(size, HEIGHT_BYTES, HEIGHT_BYTES)
  const value = Buffer.concat([numbers, hash, stateRoot, bigIntToBytes(totalDifficulty)])
  writer.put('metadata', TARGET_KEY, value)
  writer.remove('metadata', STATE_KEY)
  writeBlocks(writer, { number, hash, totalDifficulty })
}

function writeState(writer: TableWriter, { saved }: SnapshotState): void {
  const value = saved === null ? Buffer.from([WHOLE]) : Buffer.concat([Buffer.from([PARTIAL]), saved])
  writer.put('metadata', STATE_KEY, value)
}

function writeBlocks(writer: TableWriter, blocks: SnapshotBlocks): void {
  const height = Buffer.alloc(HEIGHT_BYTES)
  height.writeUIntBE(blocks.number, 0, HEIGHT_BYTES)
  const value = Buffer.concat([height, blocks.hash, bigIntToBytes(blocks.totalDifficulty)])
  writer.put('metadata', BLOCKS_KEY, value)
}

function targetFrom(value: Buffer): SnapshotTarget {
  const hashAt = 2 * HEIGHT_BYTES
  const rootAt = hashAt + HASH_BYTES
  return {
    number: value.readUIntBE(0, HEIGHT_BYTES),
    size: value.readUIntBE(HEIGHT_BYTES, HEIGHT_BYTES),
    hash: value.subarray(hashAt, rootAt),
    stateRoot: value.subarray(rootAt, rootAt + HASH_BYTES),
    totalDifficulty: bytesToBigInt(value.subarray(rootAt + HASH_BYTES)),
  }
}

function blocksFrom(value: Buffer): SnapshotBlocks {
  return {
    number: value.readUIntBE(0, HEIGHT_BYTES),
    hash: value.subarray(HEIGHT_BYTES, HEIGHT_BYTES + HASH_BYTES),
    totalDifficulty: bytesToBigInt(value.subarray(HEIGHT_BYTES + HASH_BYTES)),
  }
}
