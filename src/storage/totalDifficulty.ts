import { bigIntToBytes, bytesToBigInt } from '../util/bytes.ts'
import type { TableReader, TableWriter } from './environment.ts'

/** Where a connected block stands: its height, and the difficulty of the chain up to and with it. */
export interface ChainPosition {
  readonly height: number
  readonly totalDifficulty: bigint
}

/** Position of a connected block. A block is connected exactly when it has one. */
export function readPosition(reader: TableReader, hash: Buffer): ChainPosition | undefined {
  const value = reader.get('totalDifficulties', hash)
  if (value === undefined) return undefined
  return { height: Number(value.readBigUInt64BE(0)), totalDifficulty: bytesToBigInt(value.subarray(8)) }
}

/** Disconnects a block. */
export function removePosition(writer: TableWriter, hash: Buffer): void {
  writer.remove('totalDifficulties', hash)
}

export function writePosition(writer: TableWriter, hash: Buffer, position: ChainPosition): void {
  const height = Buffer.alloc(8)
  height.writeBigUInt64BE(BigInt(position.height))
  writer.put('totalDifficulties', hash, Buffer.concat([height, bigIntToBytes(position.totalDifficulty)]))
}
