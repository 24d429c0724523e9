import type { FleetBlock, HeadSignature } from '../interface.ts'
import type { Fields } from '../member/messageFields.ts'

/** Most signatures of one block: of an entry, of a request to prepare, of what is kept (fleet.md §12). */
export const MOST_SIGNATURES = 64
/** Bytes of a public key and of a signature of BLS12-381. */
export const KEY_BYTES = 48
export const SIGNATURE_BYTES = 96

const NUMBER_BYTES = 8
const DIFFICULTY_BYTES = 32

/** What signatures of heads are about, beside the block. */
export interface SignedFleet {
  readonly fleet: string
  readonly genesis: Buffer
}

/** What is signed of a block, without the tag of its purpose: SHA-256 is taken of both together. */
export function headContent({ fleet, genesis }: SignedFleet, block: FleetBlock): Buffer {
  const name = Buffer.from(fleet, 'utf8')
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeBigUInt64BE(BigInt(block.number))
  const difficulty = Buffer.from(
    block.totalDifficulty.toString(16).padStart(2 * DIFFICULTY_BYTES, '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([name.length]), name, genesis, number, block.hash, difficulty])
}

/** The fields that {@link readSignatures} reads. */
export function signatureFields(signatures: readonly HeadSignature[]): readonly unknown[] {
  return signatures
    .slice(0, MOST_SIGNATURES)
    .map(({ key, signature }) => [Buffer.from(key, 'hex'), signature])
}

/** @throws FleetError `Malformed` */
export function readSignatures(fields: Fields): readonly HeadSignature[] {
  return fields.list(MOST_SIGNATURES, (item) => {
    const pair = item.fields()
    return { key: readKey(pair), signature: pair.exactly(SIGNATURE_BYTES) }
  })
}

/** @returns a key, 96 hex digits @throws FleetError `Malformed` */
export function readKey(fields: Fields): string {
  return fields.exactly(KEY_BYTES).toString('hex')
}
