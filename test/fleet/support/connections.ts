import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetConnectionEvent, FleetConnectionOptions } from '../../../src/fleet/nats/natsConnection.ts'
import { NATS_USER } from '../../support/natsServer.ts'

/** Milliseconds for which a server may take to answer when it is connected to. */
const TIMEOUT = 1000
const POLL = 20
/** A count and not a time: the whole machine may stand still meanwhile. */
const POLLS = 1500

/** Options for servers of `natsServer.ts`. */
export function connectionTo(servers: readonly string[]): FleetConnectionOptions {
  const none = { credentials: null, ca: null, cert: null, key: null }
  return { servers, ...NATS_USER, ...none, name: 'test', timeout: TIMEOUT }
}

/** Waits until something holds. @throws Error with the text when it never does */
export async function until(text: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    if (await holds()) return
    await sleep(POLL)
  }
  throw new Error(`never: ${text}`)
}

/** Waits for an event of a kind. */
export async function untilEvent<K extends FleetConnectionEvent['kind']>(
  events: readonly FleetConnectionEvent[],
  kind: K,
): Promise<Extract<FleetConnectionEvent, { kind: K }>> {
  const isWanted = (event: FleetConnectionEvent): event is Extract<FleetConnectionEvent, { kind: K }> =>
    event.kind === kind
  await until(kind, () => events.some(isWanted))
  return events.find(isWanted) as Extract<FleetConnectionEvent, { kind: K }>
}
