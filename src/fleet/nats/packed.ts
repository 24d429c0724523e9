import { Packr } from 'msgpackr'
import { FleetError } from '../errors.ts'

/**
 * Plain maps, arrays, numbers, texts, byte arrays and integers of any size: no records and no references, so that
 * other programs can read it.
 */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, useBigIntExtension: true })

/** Encodes plain values for other members (fleet.md §10). */
export function pack(value: unknown): Buffer {
  // The packer reuses its memory.
  return Buffer.from(packr.pack(value))
}

/**
 * Decodes what another member sent. What it holds is to be checked by the caller.
 * @param limit largest size, bytes
 * @throws FleetError `TooLarge`, `Malformed`
 */
export function unpack(bytes: Uint8Array, limit: number): unknown {
  if (bytes.length > limit) {
    throw new FleetError('TooLarge', `a message of ${bytes.length} bytes is above the limit of ${limit}`)
  }
  try {
    return packr.unpack(bytes)
  } catch (error) {
    throw new FleetError('Malformed', `a message does not parse: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
