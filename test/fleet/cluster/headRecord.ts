import { setTimeout as sleep } from 'node:timers/promises'
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
const PAUSE_MS = 200
const ATTEMPTS = 50

/** Sequence of the last head of the log; 0 for none. */
export function lastHeadSequence(urls: readonly string[]): Promise<number> {
  return withLog(urls, lastSequence)
}

/** The heads of a fleet from a sequence of its log on, in their order, up to its last one now (fleet.md §3). */
export function headRecord(urls: readonly string[], from: number): Promise<HeadEntry[]> {
  return withLog(urls, async (nats, names) => {
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
  })
}

async function lastSequence(nats: NatsConnection, names: FleetNames): Promise<number> {
  const manager = await jetstreamManager(nats)
  const last = await manager.streams.getMessage(names.log, { last_by_subj: names.headSubject })
  return last?.seq ?? 0
}

/** Reads something of the log, again from its beginning where servers that were just started are without a leader. */
async function withLog<T>(
  urls: readonly string[],
  read: (nats: NatsConnection, names: FleetNames) => Promise<T>,
): Promise<T> {
  const nats = await connect({ servers: [...urls], user: NATS_USER.user, pass: NATS_USER.password })
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read(nats, new FleetNames(FLEET_NAME))
      } catch (error) {
        if (attempt === ATTEMPTS) throw error
      }
      await sleep(PAUSE_MS)
    }
  } finally {
    await nats.close()
  }
}
