import type { FleetHead, MemberId } from '../../../src/fleet/interface.ts'
import type { HeadEntry } from '../../../src/fleet/member/headEntry.ts'
import type { SimFaults } from './simFaults.ts'
import type { SimProcess, SimWorld } from './simWorld.ts'

/** A value of a bucket. */
export interface SimRecord {
  readonly key: string
  readonly revision: number
  readonly value: { readonly owner: string; readonly over?: boolean; readonly epoch?: number }
}

/** Who hears of what the server stores. */
export interface SimClient {
  readonly process: SimProcess
  onEntry(head: FleetHead): void
  onRecord(record: SimRecord): void
  onMessage(from: MemberId, message: unknown): void
  /** Its connection is lost; {@link SimServer.reconnect} makes another one. */
  onDisconnect(): void
}

/** How a connection is. */
export interface SimLink {
  /** Requests and messages of the client do not arrive. */
  isOutBlocked: boolean
  /** What the server sends does not arrive before this moment. */
  blockedUntil: number
  /** As that, for what the server tells unasked alone: a consumer that lags. */
  silentUntil: number
}

/** What is on its way to a client, in its order. */
interface SimQueue {
  readonly client: SimClient
  readonly runs: ((client: SimClient) => void)[]
}

/** A request had no answer: what it asked for may have happened. */
export class SimTimeout extends Error {
  override readonly name = 'SimTimeout'
}

const REQUEST_TIMEOUT = 1000

/** The log, the buckets and the messages of NATS, in the middle of links that delay, block and lose. */
export class SimServer {
  isDown = false
  readonly heads: FleetHead[] = []
  readonly links = new Map<MemberId, SimLink>()
  readonly #world: SimWorld
  readonly #faults: SimFaults
  readonly #clients = new Map<MemberId, SimClient>()
  readonly #records = new Map<string, SimRecord>()
  readonly #queues = new Map<string, SimQueue>()
  /** Connections are of one life of the server. */
  #life = 0
  readonly #lives = new Map<MemberId, number>()
  #sequence = 0
  #revision = 0

  constructor(world: SimWorld, faults: SimFaults) {
    this.#world = world
    this.#faults = faults
  }

  get end(): number {
    return this.#sequence
  }

  link(id: MemberId): SimLink {
    const known = this.links.get(id)
    if (known !== undefined) return known
    const link = { isOutBlocked: false, blockedUntil: 0, silentUntil: 0 }
    this.links.set(id, link)
    return link
  }

  /** A process connects; it hears the heads after a revision, and all records. */
  connect(id: MemberId, client: SimClient, after: number): void {
    this.#clients.set(id, client)
    this.reconnect(id)
    for (const head of this.heads)
      if (head.revision > after) this.#deliver(id, 'log', (to) => to.onEntry(head))
    for (const record of this.#records.values()) this.#deliver(id, 'records', (to) => to.onRecord(record))
  }

  /** Requests of a process arrive again. */
  reconnect(id: MemberId): void {
    this.#lives.set(id, this.#life)
  }

  /** The server is started again from an older copy of the log: the last heads are lost. */
  loseTail(count: number): void {
    this.#life += 1
    this.heads.splice(Math.max(0, this.heads.length - count))
    this.#sequence = this.heads.at(-1)?.revision ?? 0
    this.#world.note(`the log ends at ${this.#sequence}`)
    for (const queue of this.#queues.values()) queue.runs.length = 0
    for (const client of this.#clients.values())
      this.#world.after(this.#delay(), client.process, () => client.onDisconnect())
  }

  #isConnected(id: MemberId): boolean {
    return this.#lives.get(id) === this.#life
  }

  /** Something else is stored in the log: a transaction. */
  append(): void {
    this.#sequence += 1
  }

  /** Asks the server; rejects when no answer comes in time, whatever became of the request. */
  request<T>(id: MemberId, process: SimProcess, work: () => T): Promise<T> {
    const world = this.#world
    return new Promise((resolve, reject) => {
      world.after(REQUEST_TIMEOUT, process, () => reject(new SimTimeout('no answer')))
      const link = this.link(id)
      const life = this.#life
      if (link.isOutBlocked || this.isDown || !this.#isConnected(id)) return
      world.after(this.#delay(), null, () => {
        if (this.isDown || life !== this.#life) return
        const result = work()
        const arrives = Math.max(this.#delay(), link.blockedUntil - world.now)
        world.after(arrives, process, () => {
          if (life === this.#life) resolve(result)
        })
      })
    })
  }

  /** @returns revision of the entry; null when it does not follow the last head */
  writeHead(expected: number, entry: HeadEntry): number | null {
    const last = this.heads.at(-1)?.revision ?? 0
    if (last !== expected && !this.#faults.noCompareAndSet) return null
    this.#sequence += 1
    const head = { ...entry, revision: this.#sequence }
    this.heads.push(head)
    const { revision, leader, totalDifficulty, members } = head
    this.#world.note(`head ${revision} of ${short(leader)}: ${totalDifficulty} for ${members.map(short)}`)
    for (const id of this.#clients.keys()) this.#deliver(id, 'log', (to) => to.onEntry(head))
    return head.revision
  }

  record(key: string): SimRecord | null {
    return this.#records.get(key) ?? null
  }

  /** @returns the new revision; null when another one is there */
  compareAndSet(key: string, expected: number, value: SimRecord['value']): number | null {
    if ((this.#records.get(key)?.revision ?? 0) !== expected) return null
    this.#revision += 1
    const record = { key, revision: this.#revision, value }
    this.#records.set(key, record)
    for (const id of this.#clients.keys()) this.#deliver(id, 'records', (to) => to.onRecord(record))
    return record.revision
  }

  /** A message of core NATS: lost where a link is blocked. */
  send(from: MemberId, to: MemberId | null, message: unknown): void {
    if (this.link(from).isOutBlocked || this.isDown || !this.#isConnected(from) || this.#world.chance(0.02))
      return
    const ids = to === null ? [...this.#clients.keys()] : [to]
    for (const id of ids) {
      if (id === from || this.link(id).blockedUntil > this.#world.now) continue
      this.#deliver(id, `from ${from}`, (client) => client.onMessage(from, message))
    }
  }

  /** In the order of its kind. */
  #deliver(id: MemberId, kind: string, run: (client: SimClient) => void): void {
    const client = this.#clients.get(id)
    if (client === undefined || !this.#isConnected(id)) return
    const key = `${id} ${kind}`
    const known = this.#queues.get(key)
    const queue = known?.client === client ? known : { client, runs: [] }
    this.#queues.set(key, queue)
    queue.runs.push(run)
    this.#deliverNext(id, kind, queue, this.#delay())
  }

  #deliverNext(id: MemberId, kind: string, queue: SimQueue, delay: number): void {
    this.#world.after(delay, queue.client.process, () => {
      const { blockedUntil, silentUntil } = this.link(id)
      const until = kind === 'records' ? Math.max(blockedUntil, silentUntil) : blockedUntil
      if (until > this.#world.now) this.#deliverNext(id, kind, queue, until - this.#world.now)
      else queue.runs.shift()?.(queue.client)
    })
  }

  #delay(): number {
    const world = this.#world
    return world.chance(0.02) ? world.between(5, 200) : world.between(0.2, 3)
  }
}

/** An id of the simulation without its zeros. */
function short(id: MemberId): string {
  return id.slice(-1)
}
