import type { BlockReference } from '../blockKey.ts'
import { StorageError } from '../errors.ts'

/** Bytes of a filter's id. */
export const FILTER_ID_BYTES = 16

/** What a filter tells of, which never changes. */
export interface StoredFilter {
  readonly kind: 'logs' | 'blocks' | 'pending'
  /** Of logs; null for the other kinds. */
  readonly logs: StoredLogFilter | null
  /** Where it was installed. */
  readonly start: FilterPosition
}

/** A filter for logs. */
export interface StoredLogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Buffer[]
  /** 32 bytes each, by position. */
  readonly topics: readonly (readonly Buffer[])[]
  readonly from: number | null
  readonly to: number | null
  readonly blockHash: Buffer | null
  /** Parameter (JSON text) of eth_getLogs. */
  readonly query: string
}

/** Up to where a filter was told: both grow with its polls, and it uses the one of its kind. */
export interface FilterPosition {
  /** The last block that it was told of. */
  readonly block: BlockReference
  /** The last entry of the log of a fleet whose effects it was told of. */
  readonly sequence: number
}

const SEQUENCE_BYTES = 6
const NUMBER_BYTES = 6
const HASH_BYTES = 32
const POSITION_BYTES = SEQUENCE_BYTES + NUMBER_BYTES + HASH_BYTES

/** The stored form of a position: sequence 6 ∥ number 6 ∥ hash 32. */
export function encodePosition({ block, sequence }: FilterPosition): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES)
  bytes.writeUIntBE(sequence, 0, SEQUENCE_BYTES)
  bytes.writeUIntBE(block.number, SEQUENCE_BYTES, NUMBER_BYTES)
  bytes.set(block.hash, SEQUENCE_BYTES + NUMBER_BYTES)
  return bytes
}

/** @throws StorageError `STORAGE_CORRUPT` */
export function decodePosition(bytes: Buffer): FilterPosition {
  if (bytes.length !== POSITION_BYTES) throw corrupt()
  return {
    sequence: bytes.readUIntBE(0, SEQUENCE_BYTES),
    block: {
      number: bytes.readUIntBE(SEQUENCE_BYTES, NUMBER_BYTES),
      hash: Buffer.from(bytes.subarray(SEQUENCE_BYTES + NUMBER_BYTES)),
    },
  }
}

interface EncodedFilter {
  readonly kind: StoredFilter['kind']
  readonly start: string
  readonly logs?: {
    readonly addresses: readonly string[]
    readonly topics: readonly (readonly string[])[]
    readonly from: number | null
    readonly to: number | null
    readonly blockHash: string | null
    readonly query: string
  }
}

/** The stored form of a filter: JSON. */
export function encodeFilter({ kind, logs, start }: StoredFilter): Buffer {
  const encoded: EncodedFilter = {
    kind,
    start: encodePosition(start).toString('hex'),
    ...(logs === null
      ? {}
      : {
          logs: {
            addresses: logs.addresses.map(hex),
            topics: logs.topics.map((alternatives) => alternatives.map(hex)),
            from: logs.from,
            to: logs.to,
            blockHash: logs.blockHash === null ? null : hex(logs.blockHash),
            query: logs.query,
          },
        }),
  }
  return Buffer.from(JSON.stringify(encoded))
}

/**
 * The filter of its stored form, which may also come from another member of a fleet.
 * @throws StorageError `STORAGE_CORRUPT`
 */
export function decodeFilter(bytes: Buffer): StoredFilter {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw corrupt(error)
  }
  const { kind, start, logs } = asObject(value)
  if (kind !== 'logs' && kind !== 'blocks' && kind !== 'pending') throw corrupt()
  if ((kind === 'logs') !== (logs !== undefined)) throw corrupt()
  return {
    kind,
    start: decodePosition(bytesOf(start, POSITION_BYTES)),
    logs: logs === undefined ? null : decodeLogs(asObject(logs)),
  }
}

function decodeLogs({
  addresses,
  topics,
  from,
  to,
  blockHash,
  query,
}: Record<string, unknown>): StoredLogFilter {
  if (typeof query !== 'string') throw corrupt()
  return {
    addresses: listOf(addresses).map((address) => bytesOf(address, 20)),
    topics: listOf(topics).map((alternatives) =>
      listOf(alternatives).map((topic) => bytesOf(topic, HASH_BYTES)),
    ),
    from: heightOf(from),
    to: heightOf(to),
    blockHash: blockHash === null ? null : bytesOf(blockHash, HASH_BYTES),
    query,
  }
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex')
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw corrupt()
  return value as Record<string, unknown>
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw corrupt()
  return value
}

function bytesOf(value: unknown, length: number): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'hex') : Buffer.alloc(0)
  if (bytes.length !== length) throw corrupt()
  return bytes
}

function heightOf(value: unknown): number | null {
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw corrupt()
  return value
}

function corrupt(cause?: unknown): StorageError {
  return new StorageError('STORAGE_CORRUPT', 'a filter in the filter store is unreadable', { cause })
}
