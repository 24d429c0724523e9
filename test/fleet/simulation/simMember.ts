import type { LogFilterRequest, NodeFilters } from '../../../src/filters/filters.ts'
import type { LinkedBlock } from '../../../src/fleet/head/fleetBlock.ts'
import type {
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetStatus,
} from '../../../src/fleet/interface.ts'
import type { FleetRuntime } from '../../../src/fleet/runtime/fleetRuntime.ts'
import type { SharedParts } from '../../../src/node/chainThread/chainSharing.ts'
import type { Logger } from '../../../src/observe/logger.ts'
import type { Entry } from './history.ts'
import type { SimModules } from './simModules.ts'
import { SimClient, type SimNats } from './simNats.ts'
import { SimProcess, type VirtualTime } from './virtualTime.ts'

export const ADOPT_WAIT = 500
export const SEND_WAIT = 100
export const READ_WAIT = 2000
export const LAG = 4000
const HASH_BYTES = 32

/** A block of the simulated chain; as the chain thread has it. */
export interface SimBlock extends LinkedBlock {
  readonly hashHex: string
  readonly header: { readonly parentHash: Buffer }
  readonly parent: SimBlock | null
}

/** What outlives a process. */
export interface SimDisk {
  readonly blocks: Map<string, SimBlock>
  readonly transactions: Map<string, Buffer>
  head: SimBlock
}

export interface SimMemberOptions {
  readonly modules: SimModules
  readonly time: VirtualTime
  readonly nats: SimNats
  readonly random: () => number
  readonly id: string
  readonly name: string
  readonly process: number
  readonly genesis: SimBlock
  /** Whether it is of another chain. */
  readonly foreign: boolean
  /** Whether it is another process over a copy of a directory. */
  readonly copy: boolean
  readonly disk: SimDisk
  record(entry: Entry): void
}

const quiet = { child: () => quiet, info() {}, warn() {}, error() {}, debug() {} } as unknown as Logger

/** A process of a member: its three threads, of which the parts that concern a fleet are the program's own. */
export class SimMember extends SimProcess {
  readonly options: SimMemberOptions
  readonly blocks: Map<string, SimBlock>
  readonly pool: Map<string, Buffer>
  readonly #runtime: FleetRuntime
  readonly #fleet: InstanceType<SimModules['FleetChain']>
  readonly #announced: InstanceType<SimModules['AnnouncedBlocks']>
  readonly #filters: NodeFilters & { answer(payload: Uint8Array): Promise<Uint8Array> }
  readonly #asking = { draw: () => undefined, release: () => undefined }
  readonly #client = { draw: () => undefined, release: () => undefined }
  readonly #news = new Map<string, string[]>()
  readonly #looks = new Set<() => void>()
  client: SimClient | null = null
  /** Blocks that are invalid here. */
  readonly refuses = new Set<string>()
  head: SimBlock
  best: SimBlock
  /** What it began with. */
  readonly first: { readonly head: SimBlock; readonly best: SimBlock; readonly blocks: readonly string[] }
  #status: FleetStatus | undefined
  #statusAt = 0
  #heads: (() => void)[] = []
  #accepted: ((blocks: readonly SimBlock[]) => void)[] = []
  #busyUntil = 0
  #committed: Promise<void> = Promise.resolve()

  constructor(options: SimMemberOptions) {
    super()
    const { modules, time, id, disk, foreign } = options
    this.options = options
    this.blocks = new Map(disk.blocks)
    this.pool = new Map(disk.transactions)
    this.head = disk.head
    this.best = [...this.blocks.values()].reduce(
      (best, block) => (block.totalDifficulty > best.totalDifficulty ? block : best),
      this.head,
    )
    this.first = { head: this.head, best: this.best, blocks: [...this.blocks.keys()] }
    this.#fleet = new modules.FleetChain(SEND_WAIT)
    this.#announced = new modules.AnnouncedBlocks(ownBlocks(this))
    this.#fleet.begin({
      chain: this.#chain(),
      commit: () => this.#commit(),
      assertWritable: () => undefined,
      onFailure: (error: unknown) => options.record({ kind: 'threw', what: String(error) }),
    } as unknown as SharedParts)
    const chain = this.#chainService()
    this.#filters = new modules.FleetFilters({
      self: id,
      own: this.#ownFilters(),
      call: (member, payload, milliseconds) => this.#runtime.askFilter(member, payload, milliseconds),
      silentFor: (member) => {
        const known = this.#status?.members.find((other) => other.id === member)
        return known === undefined ? time.now : known.seenAgo + time.now - this.#statusAt
      },
      ask: (request) => this.#answerFilter(request),
      memory: this.#asking,
      failure: () => new Error('away'),
    })
    const front: FleetFrontService = {
      state: async (status) => {
        this.#status = status
        this.#statusAt = time.now
        return { whyNotReady: null, draining: false, enode: null, peers: [] }
      },
      answerFilter: (payload) => this.#filters.answer(payload),
    }
    this.#runtime = new modules.FleetRuntime({
      options: {
        connection: {} as never,
        fleet: 'sim',
        self: id,
        name: options.name,
        version: '1',
        dataDir: '',
        zone: 'UTC',
        makes: 'timed',
        lag: LAG,
        adoptWait: ADOPT_WAIT,
      },
      chain: foreign
        ? {
            ...chain,
            begin: async () => ({ ...(await chain.begin()), genesis: Buffer.alloc(HASH_BYTES, 9) }),
          }
        : chain,
      front,
      log: quiet,
      parts: [],
      notify: (event) => this.#onFront(event),
      connect: async () => {
        this.client = new SimClient(options.nats, this)
        return this.client
      },
    })
  }

  start(): void {
    const { time, record, id, process, copy } = this.options
    time.as(this, () => {
      this.#fleet.attach(
        {
          announce: (transactions) => this.#runtime.announceTransactions(transactions),
          announceWork: async () => undefined,
        },
        (event) => void time.after(0.1, () => this.#runtime.onChainEvent(event)),
      )
      void this.#runtime.start()
      const look = () => {
        const { present, members } = this.#runtime.status()
        record({
          kind: 'status',
          process,
          isPresent: present,
          present: members.filter((member) => member.present).map((member) => member.id),
        })
        time.after(200, look)
      }
      time.after(200, look)
    })
    record({ kind: 'began', member: id, process, copy })
  }

  /** Whether clients may ask it. */
  get answers(): boolean {
    return this.isAlive && !this.isStopped
  }

  /** Whether it has blocks to execute. */
  get isBusy(): boolean {
    return this.#busyUntil > this.options.time.now
  }

  kill(): void {
    this.isAlive = false
    this.options.record({ kind: 'ended', member: this.options.id, process: this.options.process })
  }

  /** A block came; it is executed after those before it. */
  receive(block: SimBlock, takes: number): void {
    const { time, record, process } = this.options
    time.as(this, () => {
      const begins = Math.max(time.now, this.#busyUntil)
      this.#busyUntil = begins + takes
      time.after(this.#busyUntil - time.now, () => {
        if (this.blocks.has(block.hashHex) || block.parent === null) return
        if (!this.blocks.has(block.parent.hashHex)) return
        if (this.refuses.has(block.hashHex)) {
          record({ kind: 'refused', process, hash: block.hashHex })
          this.#fleet.refused(block.hash)
          return
        }
        this.blocks.set(block.hashHex, block)
        record({ kind: 'executed', process, hash: block.hashHex })
        const isBest = block.totalDifficulty > this.best.totalDifficulty
        if (isBest) this.best = block
        const moves = isBest && this.#fleet.adoptsAtOnce()
        if (moves) this.#move(block)
        for (const listener of this.#accepted) listener([block])
        if (moves) for (const listener of this.#heads) listener()
        else if (isBest) this.#announced.executed(block.number)
        this.#announced.look()
      })
    })
  }

  /** A client sends a transaction. */
  send(transaction: Buffer): void {
    const { time, record, process } = this.options
    time.as(this, async () => {
      const hash = this.#admit(transaction)
      await this.#commit()
      const began = time.now
      await this.#fleet.share([transaction])
      if (this.isAlive) record({ kind: 'acknowledged', process, hash, waited: time.now - began })
    })
  }

  /** A client asks for a block that it heard of elsewhere. */
  read(number: number): void {
    const { time, record, process } = this.options
    time.as(this, () => {
      const began = time.now
      const answer = (what: 'block' | 'null' | 'refused') =>
        record({ kind: 'read', process, number, waited: time.now - began, answer: what })
      const look = () => {
        if (this.#announced.isBehind && this.#announced.lacks(number)) return false
        this.#looks.delete(look)
        timer.isOff = true
        answer(this.head.number >= number ? 'block' : 'null')
        return true
      }
      const timer = time.after(READ_WAIT, () => {
        this.#looks.delete(look)
        answer('refused')
      })
      if (!look()) this.#looks.add(look)
    })
  }

  /** Installs a filter for blocks. */
  install(): string {
    const handle = this.options.modules.createFilterId(this.options.id)
    this.#news.set(handle, [])
    this.options.record({ kind: 'filter', filter: handle, process: this.options.process })
    return handle
  }

  /** A client polls a filter. */
  async poll(filter: string): Promise<void> {
    const { time, record, process } = this.options
    const began = time.now
    record({ kind: 'polls', filter, process })
    const changes = await time
      .as(this, async () => this.#filters.poll(filter, this.#client))
      .catch(() => null)
    if (!this.isAlive) return
    let hashes: readonly string[] | null = null
    if (changes?.kind === 'hashes') hashes = changes.hashes.map((hash) => hash.toString('hex'))
    if (changes?.kind === 'result')
      hashes = JSON.parse(Buffer.from(changes.result).toString()) as readonly string[]
    record({ kind: 'polled', filter, process, waited: time.now - began, hashes })
  }

  #onFront(event: FleetFrontEvent): void {
    if (event.kind !== 'announced') return
    this.#announced.replace(event.blocks)
    for (const look of this.#looks) look()
  }

  #move(block: SimBlock): void {
    const before = this.#branch(this.head)
    this.head = block
    const { record, process } = this.options
    const { present, members } = this.#runtime.status()
    record({
      kind: 'adopted',
      process,
      hash: block.hashHex,
      best: this.best.hashHex,
      waitsFor: present ? members.filter((other) => other.present && !other.late).map(({ id }) => id) : [],
    })
    const enacted = [...this.#branch(block)].filter((hash) => !before.has(hash)).reverse()
    for (const news of this.#news.values()) news.push(...enacted)
    this.#announced.look()
    for (const look of this.#looks) look()
  }

  /** Hashes from a block down. */
  #branch(block: SimBlock): Set<string> {
    const hashes = new Set<string>()
    for (let at: SimBlock | null = block; at !== null; at = at.parent) hashes.add(at.hashHex)
    return hashes
  }

  #chain(): SharedParts['chain'] {
    const member = this
    const find = (hash: Buffer) => this.blocks.get(hash.toString('hex')) ?? null
    const chain = {
      get head() {
        return member.head
      },
      get best() {
        return member.best
      },
      reader: {
        headerByHash: find,
        heightOf: (hash: Buffer) => find(hash)?.number ?? null,
        totalDifficulty: (hash: Buffer) => find(hash)?.totalDifficulty ?? null,
        isCanonical: (hash: Buffer) => this.#branch(this.head).has(hash.toString('hex')),
      },
      moveHead: (hash: Buffer) => {
        const block = find(hash)
        if (block === null) return
        this.#move(block)
        for (const listener of this.#heads) listener()
      },
      onHead: (listener: () => void) => this.#heads.push(listener),
      onAccepted: (listener: (blocks: readonly SimBlock[]) => void) => this.#accepted.push(listener),
    }
    return chain as unknown as SharedParts['chain']
  }

  #chainService(): FleetChainService {
    const fleet = this.#fleet
    return {
      begin: async () => ({ genesis: this.options.genesis.hash, whyNot: null, ...fleet.branch() }),
      holdHeads: async (longest) => fleet.hold(longest),
      adopt: (hash) => fleet.adopt(hash),
      receive: async (transactions) => {
        for (const transaction of transactions) this.#admit(transaction)
        await this.#commit()
      },
      waiting: async () => Buffer.concat([...this.pool.keys()].map((hash) => Buffer.from(hash, 'hex'))),
      lacking: async (hashes) =>
        Buffer.concat(split(hashes).filter((hash) => !this.pool.has(hash.toString('hex')))),
      transactions: async (hashes) =>
        split(hashes).flatMap((hash) => this.pool.get(hash.toString('hex')) ?? []),
      makeBlocks: async (maker) => {
        const { record, process } = this.options
        record({ kind: 'maker', process, isSelf: maker.kind === 'self' })
      },
      takeWork: async () => undefined,
      ping: async () => undefined,
    }
  }

  /** A simulated transaction is its hash. */
  #admit(transaction: Buffer): string {
    const hash = transaction.toString('hex')
    if (!this.pool.has(hash)) {
      this.pool.set(hash, Buffer.from(transaction))
      this.options.record({ kind: 'admitted', process: this.options.process, hash })
    }
    return hash
  }

  /** What is there now is on the disk a little later. */
  #commit(): Promise<void> {
    const { time, random, disk } = this.options
    const [blocks, pool, head] = [[...this.blocks], [...this.pool], this.head]
    this.#committed = this.#committed.then(async () => {
      await new Promise<void>((resolve) => void time.after(0.5 + random() * 2, resolve, this))
      for (const [hash, block] of blocks) disk.blocks.set(hash, block)
      for (const [hash, transaction] of pool) disk.transactions.set(hash, transaction)
      disk.head = head
    })
    return this.#committed
  }

  #ownFilters(): NodeFilters {
    const poll = (handle: string) => {
      const news = this.#news.get(handle)
      if (news === undefined) return null
      const taken = news.splice(0)
      return {
        kind: 'hashes' as const,
        hashes: taken.map((hash) => Buffer.from(hash, 'hex')),
        undo: () => void news.unshift(...taken),
      }
    }
    return {
      size: 0,
      installLogs: (_request: LogFilterRequest) => null,
      installBlocks: () => null,
      installPending: () => null,
      uninstall: () => false,
      poll,
      content: () => null,
      headChanged: () => undefined,
      pendingAdded: () => undefined,
    }
  }

  async #answerFilter(request: string): Promise<Uint8Array> {
    const { params } = JSON.parse(request) as { readonly params: readonly [string] }
    const changes = await this.#filters.poll(params[0], this.#asking)
    if (changes?.kind !== 'hashes')
      return Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"filter not found"}}')
    const hashes = changes.hashes.map((hash) => hash.toString('hex'))
    return Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(hashes)}}`)
  }
}

function split(hashes: Buffer): Buffer[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  )
}

function ownBlocks(member: SimMember) {
  return {
    get height() {
      return member.head.number
    },
    has: (hash: Buffer) => member.blocks.has(hash.toString('hex')),
  }
}
