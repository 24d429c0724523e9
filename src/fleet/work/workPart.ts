import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { FleetPart, FleetPartContext } from '../part.ts'

const MEMBER_BYTES = 8
/** Bytes that a message needs beside what is in it. */
const HEADER_BYTES = 1024
const FAST = { level: 1 }

/**
 * Templates for pools in the fleet thread (fleet.md §9): those that were built here go to all, and theirs to the chain.
 * @param largest template, bytes
 */
export function shareWork(
  { nats, names, self, chain, isConnected, subscribe, count }: FleetPartContext,
  largest: number,
): FleetPart {
  const subject = names.subject('work')
  subscribe(subject, (data) => {
    const from = data.toString('hex', 0, MEMBER_BYTES)
    const template = inflateRawSync(data.subarray(MEMBER_BYTES), { maxOutputLength: largest })
    if (!isConnected() || from === self) return
    chain.takeWork(from, template).then(
      () => count('receivedWork'),
      () => count('skippedWork'),
    )
  })
  return {
    /** One that is larger than a message counts at this member alone. */
    announceWork: (template) => {
      if (!isConnected()) return
      const bytes = Buffer.concat([Buffer.from(self, 'hex'), deflateRawSync(template, FAST)])
      if (bytes.length > (nats.info?.max_payload ?? 0) - HEADER_BYTES) {
        count('largeWork')
        return
      }
      nats.publish(subject, bytes)
      count('reportedWork')
    },
  }
}
