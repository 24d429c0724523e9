import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { decodeHead } from '../../../src/fleet/member/headEntry.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { NATS_USER } from '../../support/natsServer.ts'
import type { HeadEntry } from '../checker/history.ts'
import { FLEET_NAME } from './testFleet.ts'

/** Milliseconds without a further entry after which there is none. */
const QUIET_MS = 1000

/** Sequence of the last head of the log; 0 for none. */
export async function lastHeadSequence(urls: readonly string[]): Promise<number> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    const names = new FleetNames(FLEET_NAME)
    const manager = await jetstreamManager(nats)
    const last = await manager.streams.getMessage(names.log, { last_by_subj: names.headSubject })
    return last?.seq ?? 0
  } finally {
    await nats.close()
  }
}

/** The heads of a fleet from a sequence of its log on, in their order (fleet.md §3). */
export async function headRecord(urls: readonly string[], from: number): Promise<HeadEntry[]> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    const names = new FleetNames(FLEET_NAME)
    const consumer = await jetstream(nats).consumers.get(names.log, {
      filter_subjects: [names.headSubject],
      opt_start_seq: Math.max(1, from),
    })
    const heads: HeadEntry[] = []
    for (;;) {
      const message = await consumer.next({ expires: QUIET_MS })
      if (message === null) return heads
      const { number, hash } = decodeHead(message.data, message.seq)
      heads.push({ type: 'head', number, hash: toHex(hash) })
    }
  } finally {
    await nats.close()
  }
}
