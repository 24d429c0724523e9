import type { HeadSignature } from '../interface.ts'
import { readSignatures, signatureFields } from '../quorum/headSignature.ts'
import { Fields, pack } from './messageFields.ts'

const MOST_BYTES = 16 * 1024
const MOST_REASON = 512

/** What a leader asks a member before it moves the head (fleet.md §3). */
export interface PrepareRequest {
  readonly epoch: number
  /** Revision of the head that the round follows. */
  readonly revision: number
  /** Of the block that is to be the head. */
  readonly hash: Buffer
  /** Of that block, for a member that needs some (fleet.md §12). */
  readonly signatures?: readonly HeadSignature[]
}

/** Why a member is not prepared; null when it is: it pledged the revision and has executed the block. */
export type PrepareAnswer = { readonly refusal: string | null }

export function encodePrepare({ epoch, revision, hash, signatures = [] }: PrepareRequest): Buffer {
  const fields = [epoch, revision, hash]
  // Members of an earlier version take no request as long as one with signatures.
  return pack(signatures.length === 0 ? fields : [...fields, signatureFields(signatures)])
}

/** @throws FleetError `Malformed` */
export function decodePrepare(bytes: Uint8Array): PrepareRequest {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  const request = { epoch: fields.integer(), revision: fields.integer(), hash: fields.hash() }
  return { ...request, signatures: fields.added(readSignatures) ?? [] }
}

export function encodePrepareAnswer({ refusal }: PrepareAnswer): Buffer {
  return pack([refusal === null ? null : refusal.slice(0, MOST_REASON)])
}

/** @throws FleetError `Malformed` */
export function decodePrepareAnswer(bytes: Uint8Array): PrepareAnswer {
  return { refusal: Fields.unpack(bytes, MOST_BYTES).optional((from) => from.text(MOST_REASON)) }
}
