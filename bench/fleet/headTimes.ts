import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startFleet } from './nodeSet.ts'
import type { FleetBenchOptions } from './options.ts'

/** Members of the fleet that is followed. */
export const HEAD_MEMBERS = 3
const MAX_SECONDS = 4

/** How clients see the head while they take a member at random for each request. */
export interface StepsBack {
  readonly reads: number
  /** Answers with a lower height than one before. */
  readonly back: number
  readonly refused: number
}

export interface HeadTimes {
  readonly blocks: number
  /** Milliseconds between the first and the last member that tells a block, of each. */
  readonly skews: readonly number[]
  readonly withoutPause: StepsBack
  readonly each100ms: StepsBack
  readonly withMinBlock: StepsBack
}

/** Follows the heads of three members. */
export async function measureHeads({ heads, servers, program }: FleetBenchOptions): Promise<HeadTimes> {
  const set = await startFleet(HEAD_MEMBERS, servers, program)
  const seen = new Map<string, number[]>()
  const sockets = await Promise.all(set.urls.map((url) => follow(url, seen)))
  const stop = { isOver: false }
  try {
    await sleep(3000)
    seen.clear()
    const clients = Promise.all([
      read(set.urls, 0, false, stop),
      read(set.urls, 100, false, stop),
      read(set.urls, 0, true, stop),
    ])
    const whole = () => [...seen.values()].filter((times) => times.length === HEAD_MEMBERS)
    for (let second = 0; second < heads * MAX_SECONDS && whole().length < heads; second += 1)
      await sleep(1000)
    stop.isOver = true
    const [withoutPause, each100ms, withMinBlock] = await clients
    const skews = whole().map((times) => Math.max(...times) - Math.min(...times))
    return { blocks: skews.length, skews, withoutPause, each100ms, withMinBlock }
  } finally {
    for (const socket of sockets) socket.terminate()
    await set.close()
  }
}

async function follow(url: string, seen: Map<string, number[]>): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'))
  await once(socket, 'open')
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { hash: string } } }
    if (params === undefined) return
    const { hash } = params.result
    seen.set(hash, [...(seen.get(hash) ?? []), performance.now()])
  })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  return socket
}

async function read(
  urls: readonly string[],
  pause: number,
  asksForMinimum: boolean,
  stop: { readonly isOver: boolean },
): Promise<StepsBack> {
  let [reads, back, refused, highest] = [0, 0, 0, 0]
  while (!stop.isOver) {
    const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(asksForMinimum ? { 'x-min-block': String(highest) } : {}),
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    })
    const { result } = (await response.json()) as { result?: string }
    reads += 1
    if (result === undefined) refused += 1
    else {
      const height = Number(result)
      if (height < highest) back += 1
      highest = Math.max(highest, height)
    }
    if (pause > 0) await sleep(pause)
  }
  return { reads, back, refused }
}
