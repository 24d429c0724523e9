import { fromHex } from '../util/bytes.ts'
import { ConfigError } from './errors.ts'

const CHECKPOINT = /^(\d{1,10}):(?:0x)?([0-9a-f]{64})$/i

/** A block that the chain of a network must have. */
export interface Checkpoint {
  readonly number: number
  /** 32 bytes. */
  readonly hash: Buffer
}

/** Reads `HEIGHT:HASH`. @throws ConfigError `InvalidValue` */
export function parseCheckpoint(text: string): Checkpoint {
  const [, height, hash] = CHECKPOINT.exec(text.trim()) ?? []
  if (height === undefined || hash === undefined) {
    throw new ConfigError(
      'InvalidValue',
      `--checkpoints: expected HEIGHT:HASH with 64 hex digits, got ${text}`,
    )
  }
  return { number: Number(height), hash: fromHex(hash) }
}
