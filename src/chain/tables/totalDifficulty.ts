import type { TableReader, TableWriter } from '../../storage/chainEnvironment.ts'
import { bigIntToBytes, bigIntToFixedBytes, bytesToBigInt } from '../../util/bytes.ts'

const HEIGHT_LENGTH = 8

/** Position of a connected block: its height, and the difficulty of the chain up to and including it. */
export interface ChainPosition {
  readonly height: number
  readonly totalDifficulty: bigint
}

/** Position of a connected block. A block is connected exactly when it has one. */
export function readPosition(reader: TableReader, hash: Buffer): ChainPosition | undefined {
  const value = reader.get('totalDifficulties', hash)
  if (value === undefined || value.length === HEIGHT_LENGTH) return undefined
  return { height: heightIn(value), totalDifficulty: bytesToBigInt(value.subarray(HEIGHT_LENGTH)) }
}

/** Height under which a block is stored, including disconnected ones. */
export function readFiledHeight(reader: TableReader, hash: Buffer): number | undefined {
  const value = reader.get('totalDifficulties', hash)
  return value === undefined ? undefined : heightIn(value)
}

/** Disconnects a block: only its height remains. */
export function removePosition(writer: TableWriter, hash: Buffer): void {
  const value = writer.get('totalDifficulties', hash)
  if (value !== undefined) writer.put('totalDifficulties', hash, value.subarray(0, HEIGHT_LENGTH))
}

export function writePosition(writer: TableWriter, hash: Buffer, position: ChainPosition): void {
  const height = bigIntToFixedBytes(BigInt(position.height), HEIGHT_LENGTH)
  // Zero is encoded as a byte: a value without difficulty marks a disconnected block.
  const difficulty =
    position.totalDifficulty === 0n ? Buffer.alloc(1) : bigIntToBytes(position.totalDifficulty)
  writer.put('totalDifficulties', hash, Buffer.concat([height, difficulty]))
}

function heightIn(value: Buffer): number {
  return Number(value.readBigUInt64BE(0))
}
