import type { FleetHead } from '../interface.ts'
import { readSignatures, signatureFields } from '../quorum/headSignature.ts'
import { blockFields, Fields, pack } from './messageFields.ts'

/** Most members of a fleet. */
export const MOST_MEMBERS = 1024
/** Most bytes of a head entry. */
export const MOST_HEAD_BYTES: number = 64 * 1024

/** A head before the log gave it a revision. */
export type HeadEntry = Omit<FleetHead, 'revision'>

/** A head as the log has it (fleet.md §3). */
export function encodeHead(entry: HeadEntry): Buffer {
  const { epoch, leader, members, signatures = [] } = entry
  return pack([epoch, leader, blockFields(entry), members, signatureFields(signatures)])
}

/**
 * @param revision sequence of the entry in the log
 * @throws FleetError `Malformed`
 */
export function decodeHead(bytes: Uint8Array, revision: number): FleetHead {
  const fields = Fields.unpack(bytes, MOST_HEAD_BYTES)
  const epoch = fields.integer()
  const leader = fields.member()
  const block = fields.block()
  const members = fields.list(MOST_MEMBERS, (item) => item.member())
  const signatures = fields.added(readSignatures) ?? []
  return { ...block, revision, epoch, leader, members, signatures }
}
