import { pino } from 'pino'
import type { FleetBlock, FleetHead, MemberId } from '../../../src/fleet/interface.ts'
import type { Announcement } from '../../../src/fleet/member/announcement.ts'
import { FleetMember } from '../../../src/fleet/member/fleetMember.ts'
import type { LeaderLogic } from '../../../src/fleet/member/leaderLogic.ts'
import type { MemberLogic } from '../../../src/fleet/member/memberLogic.ts'
import type { MemberBus, MemberChain, WriteOutcome } from '../../../src/fleet/member/memberPorts.ts'
import type { PrepareAnswer, PrepareRequest } from '../../../src/fleet/member/prepare.ts'
import type { SignatureBook } from '../../../src/fleet/quorum/signatureBook.ts'
import type { Scheduler } from '../../../src/p2p/peers/scheduler.ts'
import type { SimFaults } from './simFaults.ts'
import { SimFront } from './simFront.ts'
import { SimLeases } from './simLeases.ts'
import type { SimServer } from './simServer.ts'
import { SimProcess, type SimWorld } from './simWorld.ts'

/** Times of the simulated fleet, milliseconds. */
export const SIM_TIMES = { lease: 1000, round: 300, hold: 50, lag: 2000 } as const

/** What a member keeps on its disk. */
export class SimDisk {
  readonly executed = new Map<string, FleetBlock>()
  canonical: FleetBlock
  /** The head that its file tells of; null before it has applied one. */
  noted: FleetHead | null = null

  constructor(genesis: FleetBlock) {
    this.canonical = genesis
    this.executed.set(genesis.hash.toString('hex'), genesis)
  }
}

export interface SimNodeParts {
  readonly world: SimWorld
  readonly server: SimServer
  readonly faults: SimFaults
  readonly id: MemberId
  readonly number: number
  readonly disk: SimDisk
  /** Speed of its clock. */
  readonly rate: number
  /** Blocks that exist, by hash. */
  readonly blocks: ReadonlyMap<string, FleetBlock>
  /** Signatures of heads that it makes, needs and knows of. */
  readonly signatures: SignatureBook
  /** What it announces, as it arrives. */
  spoil(announcement: Announcement): Announcement
  logic(end: number): { readonly member: MemberLogic; readonly leader: LeaderLogic }
}

type Message =
  | { readonly kind: 'announcement'; readonly announcement: Announcement }
  | { readonly kind: 'prepare'; readonly id: number; readonly request: PrepareRequest }
  | { readonly kind: 'prepared'; readonly id: number; readonly answer: PrepareAnswer }

/** Time between two looks at a log that lost entries, and between two notes in the file of a member, milliseconds. */
const POLL = 100
const NOTE_INTERVAL = 1000
const SILENT = pino({ level: 'silent' })

/** One life of a member: the product's `FleetMember` in a simulated process. */
export class SimNode implements MemberBus {
  readonly process = new SimProcess()
  readonly front: SimFront
  readonly #parts: SimNodeParts
  readonly #leases: SimLeases
  readonly #scheduler: Scheduler
  readonly #calls = new Map<number, (answer: PrepareAnswer) => void>()
  #member: FleetMember | null = null
  #nextCall = 0
  #applying: Promise<void> = Promise.resolve()

  constructor(parts: SimNodeParts) {
    this.#parts = parts
    const { world, rate, faults, disk, server, id } = parts
    const offset = world.between(0, 1e6)
    const clock = () => offset + rate * world.now
    this.#scheduler = {
      now: clock,
      after: (milliseconds, call) => {
        let isCancelled = false
        world.after(milliseconds / rate, this.process, () => {
          if (!isCancelled) call()
        })
        return () => {
          isCancelled = true
        }
      },
    }
    this.front = new SimFront(world, {
      name: id.slice(-1),
      process: this.process,
      faults,
      clock,
      head: disk.canonical,
    })
    this.#leases = new SimLeases({
      world,
      server,
      process: this.process,
      faults,
      id,
      incarnation: String(world.random()),
      lease: SIM_TIMES.lease,
      clock,
      front: this.front,
      sleep: (milliseconds) => world.sleep(milliseconds / rate, this.process),
      onHeld: () => void this.#join(),
      member: () => this.#member,
    })
    server.connect(
      id,
      {
        process: this.process,
        onEntry: () => undefined,
        onRecord: (record) => this.#leases.onRecord(record),
        onMessage: () => undefined,
        onDisconnect: () => server.reconnect(id),
      },
      Number.POSITIVE_INFINITY,
    )
    this.#leases.start()
  }

  /** Signatures that a head needs before this member may answer at it. */
  get quorum(): number {
    return this.#parts.signatures.quorum
  }

  get member(): FleetMember | null {
    return this.#member
  }

  /** A block is executed, unless it was. */
  execute(block: FleetBlock): void {
    const { executed } = this.#parts.disk
    const key = block.hash.toString('hex')
    if (executed.has(key)) return
    executed.set(key, block)
    this.#member?.executed(block)
  }

  announce(announcement: Announcement): void {
    // What it says is of a log that may not be there any more.
    if (!this.#leases.isVerified) return
    this.#send(null, { kind: 'announcement', announcement: this.#parts.spoil(announcement) })
  }

  prepare(member: MemberId, request: PrepareRequest, milliseconds: number): Promise<PrepareAnswer> {
    this.#nextCall += 1
    const id = this.#nextCall
    return new Promise((resolve, reject) => {
      this.#calls.set(id, resolve)
      this.#scheduler.after(milliseconds, () => reject(new Error('no answer')))
      this.#send(member, { kind: 'prepare', id, request })
    })
  }

  async #join(): Promise<void> {
    const { world, server, id, disk, number, faults, logic } = this.#parts
    const ask = async <T>(work: () => T): Promise<T> => {
      for (;;) {
        try {
          return await server.request(id, this.process, work)
        } catch {
          await world.sleep(100, this.process)
        }
      }
    }
    const look = () => ask(() => ({ end: server.end, heads: [...server.heads] }))
    let { end, heads } = await look()
    const before = faults.headForgotten ? null : disk.noted
    const heaviest = [...disk.executed.values()].reduce((best, block) =>
      block.totalDifficulty > best.totalDifficulty ? block : best,
    )
    const member = new FleetMember({
      self: id,
      times: SIM_TIMES,
      log: {
        writeHead: (expected, entry) =>
          server
            .request(id, this.process, () => server.writeHead(expected, entry))
            .then((revision): WriteOutcome => (revision === null ? 'conflict' : 'stored')),
        end: () => server.request(id, this.process, () => server.end),
      },
      leases: this.#leases,
      bus: this,
      chain: this.#chain(),
      front: this.front,
      scheduler: this.#scheduler,
      logger: SILENT,
      signatures: this.#parts.signatures,
      end,
      before: before && { named: before.members },
      facts: () => ({ name: id, number, version: '1', load: 0 }),
      fetch: async (hash) => {
        await world.sleep(world.between(5, 300), this.process)
        const block = this.#parts.blocks.get(hash.toString('hex'))
        if (block !== undefined) this.execute(block)
      },
      onChange: () => undefined,
      logic: logic(end),
    })
    this.#member = member
    await member.start(heaviest)
    const onEntry = (entry: FleetHead) => {
      this.#applying = this.#applying.then(() => member.applyHead(entry))
    }
    const onRecord = this.#leases.onRecord.bind(this.#leases)
    const onMessage = (from: MemberId, message: unknown) => this.#receive(from, message as Message)
    const { process } = this
    const onDisconnect = () => void reconnect()
    const client = { process, onEntry, onRecord, onMessage, onDisconnect }
    const joining = { ...client, onEntry: () => undefined, onDisconnect: () => server.reconnect(id) }
    // A log that lost entries is waited for (fleet.md §4).
    const isLost = () =>
      before !== null && !(heads.at(-1) && !member.served.isLighter(heads.at(-1) as FleetHead))
    if (isLost() || (before !== null && !heads.includes(before))) member.lost(heads.at(-1) ?? null, end)
    if (isLost()) server.connect(id, joining, Number.POSITIVE_INFINITY)
    while (isLost() && member.served.stays) {
      await world.sleep(POLL, this.process)
      const known = end
      ;({ end, heads } = await look())
      if (end < known) member.lost(heads.at(-1) ?? null, end)
    }
    const head = heads.at(-1) ?? null
    if (head !== null) onEntry(head)
    /** The log is looked at before it is read on, and before the lease is renewed (fleet.md §4). */
    const reconnect = async () => {
      this.#leases.isVerified = false
      this.#leases.interruptions += 1
      server.reconnect(id)
      await this.#applying
      const now = await look()
      const { head: applied } = member
      const isSame = applied === null || now.heads.includes(applied)
      if (!isSame) member.lost(now.heads.at(-1) ?? null, now.end)
      server.connect(id, client, isSame ? (applied?.revision ?? 0) : now.end)
      this.#leases.isVerified = true
    }
    server.connect(id, client, head?.revision ?? 0)
    await this.#applying
    const note = () => {
      disk.noted = member.head ?? disk.noted
      world.after(NOTE_INTERVAL, this.process, note)
    }
    note()
    member.ready()
  }

  #chain(): MemberChain {
    const { world, disk } = this.#parts
    return {
      head: async () => disk.canonical,
      executed: async (hash) => {
        await world.sleep(world.between(0, 1), this.process)
        return disk.executed.get(hash.toString('hex')) ?? null
      },
      moveHead: async (hash) => {
        await world.sleep(world.chance(0.02) ? world.between(20, 400) : world.between(0.5, 5), this.process)
        const block = disk.executed.get(hash.toString('hex'))
        if (block === undefined) throw new Error('not executed')
        disk.canonical = block
        this.front.headChanged(block)
      },
    }
  }

  #receive(from: MemberId, message: Message): void {
    switch (message.kind) {
      case 'announcement':
        this.#member?.heard(message.announcement)
        return
      case 'prepare':
        void this.#member
          ?.prepare(message.request)
          .then((answer) => this.#send(from, { kind: 'prepared', id: message.id, answer }))
        return
      case 'prepared':
        this.#calls.get(message.id)?.(message.answer)
        this.#calls.delete(message.id)
    }
  }

  #send(to: MemberId | null, message: Message): void {
    const { server, id } = this.#parts
    server.send(id, to, message)
  }
}
