import { createHash } from 'node:crypto'
import { NETWORK_NAMES } from '../config/networks/names.ts'
import { SnapshotError, shownValue } from './errors.ts'
import { describeVersion } from './otherVersion.ts'

/** Version of the manifest and the chunks. Others are refused, newer and older. */
export const SNAPSHOT_VERSION = 1

/** Name of the manifest in the folder of a snapshot. */
export const MANIFEST_FILE = 'manifest.json'

/** Largest manifest that is read, in bytes: some 100,000 chunks. */
export const MAX_MANIFEST_BYTES: number = 32 * 1024 * 1024

/**
 * Largest contents of a chunk, in bytes: writers begin another chunk at 8 MiB, after which the largest value
 * of a trie and the largest block may still follow.
 */
export const MAX_CHUNK_BYTES: number = 48 * 1024 * 1024

/** Kinds of chunks. States come before blocks. */
export type ChunkKind = 'state' | 'blocks'

/** A file of the snapshot. */
export interface ChunkEntry {
  readonly kind: ChunkKind
  /** SHA-256 of the contents, 64 hex digits; the file is `<hash>.zst`. */
  readonly hash: string
  /** Bytes of the contents. */
  readonly size: number
  /** Bytes of the file. */
  readonly packedSize: number
  /** Number of trie nodes, or of blocks including side blocks. */
  readonly items: number
  /** First offset in the node log, or lowest height. */
  readonly from: number
  /** Offset after the nodes, or highest height. */
  readonly to: number
}

/** Description and contents of a snapshot. */
export interface Manifest {
  readonly version: number
  readonly network: string
  /** Hash of block 0. */
  readonly genesis: string
  /** The block whose state is included, and with which the chain ends. */
  readonly block: { readonly number: number; readonly hash: string }
  /** Root of the Unitrie after that block. */
  readonly stateRoot: string
  /** Total difficulty of the chain including that block, decimal. */
  readonly totalDifficulty: string
  /** Lowest included block above genesis, and the total difficulty including its parent. */
  readonly first: { readonly number: number; readonly parentTotalDifficulty: string }
  /** `head`: the state after the block; `all`: every state of the chain. */
  readonly states: 'head' | 'all'
  readonly chunks: readonly ChunkEntry[]
  /** ISO 8601. */
  readonly created: string
  /** Program that created it. */
  readonly program: string
}

/** A manifest with its original bytes, which are what is signed. */
export interface ReadManifest {
  readonly manifest: Manifest
  readonly bytes: Buffer
  /** SHA-256 of the bytes, 64 hex digits: the name of the snapshot. */
  readonly id: string
}

/** Text of a manifest. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 1)}\n`
}

/** Name of the file of a chunk. */
export function chunkFile({ hash }: Pick<ChunkEntry, 'hash'>): string {
  return `${hash}.zst`
}

/** Name of the snapshot with a manifest. */
export function snapshotId(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Parses a manifest: every member has to be present and within bounds.
 * @throws SnapshotError `SNAPSHOT_MANIFEST`
 */
export function parseManifest(bytes: Buffer): ReadManifest {
  const root = members(parseJson(bytes), 'the manifest')
  const version = root['version']
  if (version !== SNAPSHOT_VERSION) {
    throw malformed(describeVersion(version, SNAPSHOT_VERSION, root['program']))
  }
  const block = members(root['block'], 'block')
  const first = members(root['first'], 'first')
  const manifest: Manifest = {
    version,
    network: oneOf('network', root['network'], NETWORK_NAMES),
    genesis: hash('genesis', root['genesis']),
    block: { number: integer('block.number', block['number']), hash: hash('block.hash', block['hash']) },
    stateRoot: hash('stateRoot', root['stateRoot']),
    totalDifficulty: decimal('totalDifficulty', root['totalDifficulty']),
    first: {
      number: integer('first.number', first['number'], 1),
      parentTotalDifficulty: decimal('first.parentTotalDifficulty', first['parentTotalDifficulty']),
    },
    states: oneOf('states', root['states'], ['head', 'all'] as const),
    chunks: list(root['chunks']).map(parseChunk),
    created: text('created', root['created']),
    program: text('program', root['program']),
  }
  assertOrder(manifest)
  return { manifest, bytes, id: snapshotId(bytes) }
}

function parseChunk(value: unknown, index: number): ChunkEntry {
  const name = `chunks[${index}]`
  const chunk = members(value, name)
  return {
    kind: oneOf(`${name}.kind`, chunk['kind'], ['state', 'blocks'] as const),
    hash: hash(`${name}.hash`, chunk['hash']),
    size: integer(`${name}.size`, chunk['size'], 1, MAX_CHUNK_BYTES),
    packedSize: integer(`${name}.packedSize`, chunk['packedSize'], 1, 2 * MAX_CHUNK_BYTES),
    items: integer(`${name}.items`, chunk['items']),
    from: integer(`${name}.from`, chunk['from']),
    to: integer(`${name}.to`, chunk['to']),
  }
}

/** States first, each continuing the one before; then blocks without a gap up to the block. */
function assertOrder({ block, first, chunks }: Manifest): void {
  let position = 1
  let height = first.number
  let inBlocks = false
  for (const [index, { kind, from, to }] of chunks.entries()) {
    const follows = kind === 'state' ? !inBlocks && from >= position : from === height
    if (!follows || to < from) throw malformed(`chunks[${index}] does not follow the one before`)
    if (kind === 'state') position = to
    else {
      inBlocks = true
      height = to + 1
    }
  }
  if (height !== block.number + 1) {
    throw malformed(`its chunks hold blocks ${first.number} to ${height - 1}, not to ${block.number}`)
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new SnapshotError('SNAPSHOT_MANIFEST', 'the manifest is no JSON: it is cut off or another file', {
      cause: error,
    })
  }
}

function members(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(`${name} must be an object`)
  }
  return value as Record<string, unknown>
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('chunks must be a list')
  return value
}

function integer(name: string, value: unknown, minimum = 0, maximum = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum || value > maximum) {
    throw malformed(`${name} from ${minimum} to ${maximum} expected, got ${shownValue(value)}`)
  }
  // JSON has -0, which would not be 0 everywhere.
  return value + 0
}

function hash(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) {
    throw malformed(`${name} of 64 hex digits expected, got ${shownValue(value)}`)
  }
  return value
}

function decimal(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^(0|[1-9][0-9]{0,77})$/.test(value)) {
    throw malformed(`${name} as decimal text expected, got ${shownValue(value)}`)
  }
  return value
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > 200)
    throw malformed(`${name} as text expected, got ${shownValue(value)}`)
  return value
}

function oneOf<T extends string>(name: string, value: unknown, values: readonly T[]): T {
  const found = values.find((candidate) => candidate === value)
  if (found === undefined)
    throw malformed(`${name}: one of ${values.join(', ')} expected, got ${shownValue(value)}`)
  return found
}

function malformed(what: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_MANIFEST', `manifest: ${what}`)
}
