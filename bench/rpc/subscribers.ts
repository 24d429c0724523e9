import type { Generator, SubscriberStats } from '../load/generator.ts'
import type { Row } from '../report/results.ts'
import { BenchAccount } from './account.ts'
import type { Contender } from './contender.ts'
import { encodeTransfer } from './encode.ts'
import { residentMiB } from './processStats.ts'
import { textOf } from './requests.ts'

export interface SubscriberResult {
  readonly node: string
  readonly kind: 'newHeads' | 'logs'
  readonly subscribers: number
  readonly stats: SubscriberStats | null
  /** Why there are no results. */
  readonly refused: string | null
  readonly memoryBefore: number | null
  readonly memoryWith: number | null
}

const TRANSFER_GAS = 100_000n
const PAUSE_MS = 200

/** Subscribes many connections to heads or logs of the token and mines blocks with a token transfer each. */
export async function measureSubscribers(
  { peer, scene }: Contender,
  generator: Generator,
  kind: SubscriberResult['kind'],
  subscribers: number,
  events: number,
): Promise<SubscriberResult> {
  const sender = new BenchAccount(peer.url)
  await sender.prepare()
  const triggers: string[] = []
  for (let i = 0; i < events; i++) {
    const data = encodeTransfer(i, 1n)
    const raw = await sender.sign({ to: scene.token, data, gas: TRANSFER_GAS })
    triggers.push(textOf({ method: 'eth_sendRawTransaction', params: [raw] }))
  }
  const params = kind === 'newHeads' ? [kind] : [kind, { address: scene.token }]
  const memory = () => (peer.pid === null ? null : residentMiB(peer.pid))
  const memoryBefore = memory()
  let memoryWith: number | null = null
  const result = { node: peer.name, kind, subscribers, memoryBefore }
  try {
    const options = {
      url: peer.socketUrl ?? '',
      connections: subscribers,
      subscription: textOf({ method: 'eth_subscribe', params }),
      triggerUrl: peer.url,
      triggers,
      pauseMilliseconds: PAUSE_MS,
    }
    const stats = await generator.subscribe(options, () => {
      memoryWith = memory()
    })
    return { ...result, stats, refused: null, memoryWith }
  } catch (error) {
    return { ...result, stats: null, refused: (error as Error).message, memoryWith }
  }
}

export function subscriberRow(result: SubscriberResult): Row {
  const { stats, memoryBefore, memoryWith } = result
  const grown = memoryBefore === null || memoryWith === null ? null : memoryWith - memoryBefore
  return {
    subscription: result.kind,
    subscribers: result.subscribers,
    node: result.node,
    'delivered %': stats === null ? '' : (stats.delivered * 100) / (stats.delivered + stats.missing),
    'p50 ms': stats?.p50 ?? '',
    'p99 ms': stats?.p99 ?? '',
    'most ms': stats?.most ?? '',
    'first to last ms': stats?.spread ?? '',
    'memory MiB': memoryWith === null ? '' : Math.round(memoryWith),
    'KiB/subscriber': grown === null ? '' : (grown * 1024) / result.subscribers,
    remark: result.refused ?? '',
  }
}
