import { createRandom } from '../../support/random.ts'
import { check, type Violation } from './check.ts'
import type { Entry, TimedEntry } from './history.ts'
import { type SimBlock, type SimDisk, SimMember } from './simMember.ts'
import type { SimModules } from './simModules.ts'
import { type SimClient, SimNats } from './simNats.ts'
import { VirtualTime } from './virtualTime.ts'

/** Milliseconds of a run; in the last of them nothing befalls anybody. */
const RUN = 45_000
const CALM = 15_000
/** And no block is made in these. */
const SETTLING = 9000
const SYNC_EVERY = 500
/** Milliseconds for which a member that was cut off has no peers beside NATS. */
const RELINKED_AFTER = 4000
/** Others find it away after so many milliseconds. */
const NOT_PRESENT = 2500

/** What a run has beside blocks, sends, reads and polls. */
export interface Scenario {
  readonly members: number
  /** Members are killed, stopped, cut off, and find blocks invalid. */
  readonly isDisturbed: boolean
  /** Share of messages that is lost. */
  readonly loss: number
  /** One member executes for longer than blocks wait. */
  readonly isSlow: boolean
  /** A process runs over a copy of a directory. */
  readonly hasCopy: boolean
  /** A node of another chain tells itself, too. */
  readonly hasForeigner: boolean
}

/** The scenarios come in turn. */
export function scenarioOf(seed: number): Scenario {
  const kind = seed % 6
  return {
    members: kind === 5 ? 5 : 3,
    isDisturbed: kind === 1 || kind === 2 || kind === 5,
    loss: kind === 2 ? 0.03 : 0,
    isSlow: kind === 3,
    hasCopy: kind === 4,
    hasForeigner: kind === 3 || kind === 4,
  }
}

export interface RunResult {
  readonly violations: readonly Violation[]
  readonly history: readonly TimedEntry[]
  /** Entries of each kind. */
  readonly counts: Readonly<Record<string, number>>
}

/** Runs members of a fleet on virtual time and checks what happened. */
export async function simulate(seed: number, modules: SimModules): Promise<RunResult> {
  const world = new World(seed, modules)
  await world.run()
  const counts: Record<string, number> = {}
  for (const { kind } of world.history) counts[kind] = (counts[kind] ?? 0) + 1
  return { violations: check(world.history, world), history: world.history, counts }
}

class World {
  readonly scenario: Scenario
  readonly history: TimedEntry[] = []
  readonly blocks = new Map<string, SimBlock>()
  /** All processes that ever were. */
  readonly processes: SimMember[] = []
  readonly foreigners = new Set<string>()
  readonly #time = new VirtualTime()
  readonly #random: () => number
  readonly #nats: SimNats
  readonly #modules: SimModules
  readonly #members: SimMember[] = []
  readonly #genesis: SimBlock
  readonly #filters: string[] = []
  readonly #madeAt = new Map<SimBlock, number>()
  /** Members that have no peers now. */
  readonly #lonely = new Set<SimMember>()
  #tip: SimBlock
  #made = 0
  #sent = 0

  constructor(seed: number, modules: SimModules) {
    this.#random = createRandom(seed)
    this.#modules = modules
    this.scenario = scenarioOf(seed)
    this.#nats = new SimNats(this.#time, this.#random)
    this.#genesis = this.#make(null, 10n)
    this.#tip = this.#genesis
    const memberOf = (data: Buffer) => {
      try {
        const { id, executed } = JSON.parse(data.toString()) as {
          id?: string
          executed?: { totalDifficulty?: string; hash?: string }
        }
        const { totalDifficulty = '0', hash = '' } = executed ?? {}
        return { member: id ?? '', weight: BigInt(totalDifficulty), hash }
      } catch {
        return null
      }
    }
    this.#nats.onPublish = (from, subject, data) => {
      const told = subject.endsWith('.presence') ? memberOf(data) : null
      if (told !== null) this.#record({ kind: 'told', member: told.member, process: processOf(from) })
    }
    this.#nats.onDeliver = (to, subject, data) => {
      const heard = subject.endsWith('.presence') ? memberOf(data) : null
      if (heard !== null) this.#record({ kind: 'heard', process: processOf(to), ...heard })
    }
    this.#time.onError = (error) => this.#record({ kind: 'threw', what: String(error) })
  }

  /** Processes that run in the end. */
  get running(): readonly SimMember[] {
    return this.#members.filter(({ isAlive }) => isAlive)
  }

  async run(): Promise<void> {
    const { members, loss, hasCopy, hasForeigner, isDisturbed } = this.scenario
    await this.#time.run(RUN, () => {
      for (let at = 0; at < members; at += 1) this.#start(at, this.#newDisk())
      if (hasForeigner) this.#foreign(this.#start(members, this.#newDisk(), { foreign: true }))
      if (hasCopy)
        this.#at(8000, () => {
          const first = this.#members[0] as SimMember
          const { disk } = first.options
          this.#start(0, { ...disk, blocks: new Map(disk.blocks) }, { copy: true })
        })
      this.#nats.loss = loss
      this.#at(RUN - CALM, () => {
        this.#nats.loss = 0
      })
      this.#at(3000, () => this.#install())
      this.#every(300, 1500, () => this.#mine())
      this.#every(SYNC_EVERY, SYNC_EVERY, () => this.#sync())
      this.#every(40, 160, () => this.#ask())
      this.#every(1000, 4000, () => this.#rubbish())
      if (isDisturbed) this.#at(6000, () => this.#every(1500, 5000, () => this.#disturb()))
      // The last poll at home has what nobody heard yet.
      this.#at(RUN - 500, () => this.#pollAll())
    })
  }

  #record(entry: Entry): void {
    this.history.push({ ...entry, at: this.#time.now })
  }

  #at(milliseconds: number, act: () => void): void {
    this.#time.after(milliseconds, act, null)
  }

  #every(least: number, most: number, act: () => void): void {
    this.#at(least + this.#random() * (most - least), () => {
      act()
      this.#every(least, most, act)
    })
  }

  #newDisk(): SimDisk {
    return {
      blocks: new Map([[this.#genesis.hashHex, this.#genesis]]),
      transactions: new Map(),
      head: this.#genesis,
    }
  }

  #start(at: number, disk: SimDisk, { foreign = false, copy = false } = {}): SimMember {
    const member = new SimMember({
      modules: this.#modules,
      time: this.#time,
      nats: this.#nats,
      random: this.#random,
      id: String(at + 1).padStart(16, '0'),
      name: `m${at}`,
      process: this.processes.length,
      genesis: this.#genesis,
      foreign,
      copy,
      disk,
      record: (entry) => this.#record(entry),
    })
    this.processes.push(member)
    if (!foreign && !copy) this.#members[at] = member
    member.start()
    return member
  }

  #foreign(member: SimMember): void {
    this.foreigners.add(member.options.id)
  }

  #make(parent: SimBlock | null, difficulty: bigint): SimBlock {
    this.#made += 1
    const hash = Buffer.alloc(32)
    hash.writeUInt32BE(this.#made)
    const parentHash = parent?.hash ?? Buffer.alloc(32, 1)
    const block: SimBlock = {
      number: (parent?.number ?? -1) + 1,
      hash,
      hashHex: hash.toString('hex'),
      parentHash,
      header: { parentHash },
      totalDifficulty: (parent?.totalDifficulty ?? 0n) + difficulty,
      parent,
    }
    this.blocks.set(block.hashHex, block)
    this.#madeAt.set(block, this.#time.now)
    return block
  }

  /** A block on the tip, or one beside it that is heavier or lighter. */
  #mine(): void {
    if (this.#time.now > RUN - SETTLING) return
    const isFork = this.#random() < 0.25 && this.#tip.parent !== null
    const parent = isFork ? (this.#tip.parent as SimBlock) : this.#tip
    const block = this.#make(parent, isFork ? 8n + BigInt(Math.floor(this.#random() * 5)) : 10n)
    if (block.totalDifficulty > this.#tip.totalDifficulty) this.#tip = block
    for (const [at, member] of this.#members.entries())
      if (this.#random() < 0.95) this.#at(this.#random() * 40, () => this.#give(member, at, block))
  }

  #give(member: SimMember, at: number, block: SimBlock): void {
    if (!member.isAlive || this.#lonely.has(member)) return
    const isSlow = this.scenario.isSlow && at === 2
    const takes = isSlow ? 650 : this.#random() < 0.8 ? 5 + this.#random() * 30 : this.#random() * 250
    if (!member.isStopped) member.receive(block, takes)
  }

  /** Peers give what a member lacks. */
  #sync(): void {
    for (const [at, member] of this.#members.entries()) {
      const lacking: SimBlock[] = []
      for (let block: SimBlock | null = this.#tip; block !== null; block = block.parent) {
        if (member.blocks.has(block.hashHex)) break
        lacking.unshift(block)
      }
      // What is under way is not given twice.
      const [first] = lacking
      if (first !== undefined && this.#time.now - (this.#madeAt.get(first) ?? 0) > 1000 && !member.isBusy)
        for (const block of lacking) this.#give(member, at, block)
    }
  }

  #anyone(): SimMember | null {
    const members = this.#members.filter((member) => member.answers)
    return members[Math.floor(this.#random() * members.length)] ?? null
  }

  #ask(): void {
    const [one, other] = [this.#anyone(), this.#anyone()]
    if (one === null || other === null) return
    const what = this.#random()
    if (what < 0.3) {
      this.#sent += 1
      const transaction = Buffer.alloc(32, 7)
      transaction.writeUInt32BE(this.#sent)
      one.send(transaction)
    } else if (what < 0.7) {
      const { number } = one.head
      this.#at(0.1, () => {
        if (other.answers) other.read(number)
      })
    } else this.#poll(one)
  }

  #install(): void {
    for (const member of this.#members)
      for (let count = 0; count < 2; count += 1) this.#filters.push(member.install())
  }

  readonly #polling = new Set<string>()

  /** One client of each filter: its polls come one after the other. */
  #poll(member: SimMember): void {
    const filter = this.#filters[Math.floor(this.#random() * this.#filters.length)]
    if (filter === undefined || this.#polling.has(filter)) return
    this.#polling.add(filter)
    void member.poll(filter).finally(() => this.#polling.delete(filter))
    // The client of one that was killed or stands still asks again.
    this.#at(3000, () => this.#polling.delete(filter))
  }

  #pollAll(): void {
    for (const filter of this.#filters) {
      const owner = this.#members.find(({ options }) => filter.slice(4, 20) === options.id)
      if (owner?.answers === true) void owner.poll(filter)
    }
  }

  #rubbish(): void {
    const [from] = this.#nats.clients
    if (from === undefined) return
    const subjects = ['presence', 'transactions', `confirmed.${'1'.padStart(16, '0')}`]
    const texts = ['', '{}', 'null', '{"speaks":2}', 'xxxxx', '\0'.repeat(40)]
    for (const subject of subjects) {
      const text = texts[Math.floor(this.#random() * texts.length)] ?? ''
      this.#nats.send({ owner: from.owner } as SimClient, `sim.v2.${subject}`, Buffer.from(text))
    }
  }

  #disturb(): void {
    let lasts = 200 + this.#random() * 7000
    const at = Math.floor(this.#random() * this.#members.length)
    const member = this.#members[at] as SimMember
    if (this.#time.now + lasts + RELINKED_AFTER > RUN - CALM || !member.answers) return
    const { id } = member.options
    const kinds = [
      'kill',
      'stop',
      'cut what it sends',
      'cut what it hears',
      'cut',
      'all',
      'refuse',
      'peers',
      'apart',
    ] as const
    const what = kinds[Math.floor(this.#random() * kinds.length)] ?? 'stop'
    const hit = what === 'all' ? this.#members.map(({ options }) => options.id) : [id]
    this.#record({ kind: 'fault', what, hit })
    const { client } = member
    let end: () => void = () => undefined
    switch (what) {
      case 'kill':
        member.kill()
        end = () => void this.#start(at, member.options.disk)
        break
      case 'stop':
        member.isStopped = true
        end = () => this.#time.resume(member)
        break
      case 'refuse':
        // The next block on the tip: all that follow it are nothing here until another branch is heavier.
        this.#at(0, () => this.#refuseNext(member))
        break
      case 'peers':
        this.#lonely.add(member)
        end = () => void this.#lonely.delete(member)
        break
      case 'apart': {
        // Its peers come back later than NATS; until then it has made blocks of its own.
        this.#lonely.add(member)
        client?.cut(false, false)
        lasts = Math.max(lasts, NOT_PRESENT)
        for (let own = 0; own < 3; own += 1) this.#at(own * 300, () => this.#makeAlone(member))
        this.#at(lasts, () => client?.heal())
        lasts += RELINKED_AFTER
        end = () => this.#rejoin(member)
        break
      }
      case 'all':
        for (const { client: one } of this.#members) one?.cut(false, false)
        end = () => {
          for (const { client: one } of this.#members) one?.heal()
        }
        break
      default:
        client?.cut(what === 'cut what it hears', what === 'cut what it sends')
        end = () => client?.heal()
    }
    this.#at(lasts, () => {
      end()
      this.#record({ kind: 'healed', hit })
    })
  }

  #makeAlone(member: SimMember): void {
    if (member.answers) member.receive(this.#make(member.best, 12n), 5)
  }

  /** A member has peers again: the heaviest block is everybody's. */
  #rejoin(member: SimMember): void {
    this.#lonely.delete(member)
    if (member.best.totalDifficulty > this.#tip.totalDifficulty) this.#tip = member.best
  }

  /** A lighter block beside the next one is invalid here. */
  #refuseNext(member: SimMember): void {
    const block = this.#make(this.#tip, 9n)
    member.refuses.add(block.hashHex)
    for (const [at, one] of this.#members.entries()) this.#give(one, at, block)
  }
}

function processOf(client: SimClient): number {
  return (client.owner as SimMember).options.process
}

export type SimWorld = Pick<World, 'scenario' | 'blocks' | 'processes' | 'foreigners' | 'running'>
