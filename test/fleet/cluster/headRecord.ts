import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { decodeHead } from '../../../src/fleet/member/headEntry.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { NATS_USER } from '../../support/natsServer.ts'
import type { HeadEntry } from '../checker/history.ts'
import { FLEET_NAME } from './testFleet.ts'

/** Milliseconds for an entry that the log has. */
const PATIENCE_MS = 10_000

/** Sequence of the last head of the log; 0 for none. */
export async function lastHeadSequence(urls: readonly string[]): Promise<number> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    return await lastSequence(nats, new FleetNames(FLEET_NAME))
  } finally {
    await nats.close()
  }
}

/** The heads of a fleet from a sequence of its log on, in their order, up to its last one now (fleet.md §3). */
export async function headRecord(urls: readonly string[], from: number): Promise<HeadEntry[]> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    const names = new FleetNames(FLEET_NAME)
    const last = await lastSequence(nats, names)
    const consumer = await jetstream(nats).consumers.get(names.log, {
      filter_subjects: [names.headSubject],
      opt_start_seq: Math.max(1, from),
    })
    const heads: HeadEntry[] = []
    for (let at = 0; at < last; ) {
      const message = await consumer.next({ expires: PATIENCE_MS })
      if (message === null) throw new Error(`the log does not give its heads up to ${last}, but up to ${at}`)
      at = message.seq
      const { number, hash } = decodeHead(message.data, at)
      heads.push({ type: 'head', number, hash: toHex(hash) })
    }
    return heads
  } finally {
    await nats.close()
  }
}

async function lastSequence(nats: NatsConnection, names: FleetNames): Promise<number> {
  const manager = await jetstreamManager(nats)
  const last = await manager.streams.getMessage(names.log, { last_by_subj: names.headSubject })
  return last?.seq ?? 0
}
