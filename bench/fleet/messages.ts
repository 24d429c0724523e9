import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { toHex } from '../../src/util/bytes.ts'
import { FLEET_NAME } from '../../test/fleet/cluster/testFleet.ts'
import { NATS_USER } from '../../test/support/natsServer.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { signedTransaction } from '../../test/support/signedTransaction.ts'
import { HEAD_MEMBERS } from './headTimes.ts'
import { startFleet } from './nodeSet.ts'
import type { FleetBenchOptions } from './options.ts'

const TIMES = 20
const PRESENCES_PER_SECOND = 2

/** Messages that three members publish on NATS. */
export interface Messages {
  /** A second, while nothing happens: presence. */
  readonly idle: number
  /** For each block beside that. */
  readonly head: number
  readonly send: number
  /** A poll of a filter of another member. */
  readonly poll: number
}

/** Listens to all that members publish. */
export async function countMessages({ servers, seconds, program }: FleetBenchOptions): Promise<Messages> {
  const set = await startFleet(HEAD_MEMBERS, servers, program)
  const nats = await connect({
    servers: [...(set.fleet.servers?.urls ?? [])],
    user: NATS_USER.user,
    pass: NATS_USER.password,
  })
  const counts = { presence: 0, pool: 0, calls: 0 }
  const count = (subject: string) => {
    if (subject.endsWith('.presence')) counts.presence += 1
    else if (/\.(transactions|confirmed\.\w+)$/.test(subject)) counts.pool += 1
    else if (subject.startsWith('_INBOX.') || /\.call\.\w+\.filter$/.test(subject)) counts.calls += 1
  }
  for (const subject of [`${FLEET_NAME}.v2.>`, '_INBOX.>'])
    nats.subscribe(subject, { callback: (_error, message) => count(message.subject) })
  await nats.flush()
  const clear = () => Object.assign(counts, { presence: 0, pool: 0, calls: 0 })
  const [first = '', second = ''] = set.urls
  const height = async () => Number(await askNode<string>(first, 'eth_blockNumber', []))
  try {
    await sleep(3000)
    const before = await height()
    clear()
    await sleep(2 * seconds * 1000)
    const idle = HEAD_MEMBERS * PRESENCES_PER_SECOND
    const head = (counts.presence - idle * 2 * seconds) / ((await height()) - before)
    clear()
    for (let nonce = 0; nonce < TIMES; nonce += 1) {
      const { encoded } = signedTransaction({ nonce: BigInt(nonce) })
      await askNode(first, 'eth_sendRawTransaction', [toHex(encoded)])
    }
    await sleep(500)
    const send = counts.pool / TIMES
    const filter = await askNode(first, 'eth_newBlockFilter', [])
    clear()
    for (let poll = 0; poll < TIMES; poll += 1) await askNode(second, 'eth_getFilterChanges', [filter])
    await sleep(500)
    return { idle, head, send, poll: counts.calls / TIMES }
  } finally {
    await nats.close()
    await set.close()
  }
}
