import type { FleetBlock, MemberId } from '../../../src/fleet/interface.ts'
import type { SimFaults } from './simFaults.ts'
import { createFaultyLogic } from './simFaultyLogic.ts'
import { SIM_TIMES, SimDisk, SimNode } from './simNode.ts'
import { SimServer } from './simServer.ts'
import { SimSignatures } from './simSignatures.ts'
import { SimWorld } from './simWorld.ts'

/** What a run is made of. */
export interface SimRun {
  readonly seed: number
  readonly members: number
  /** Time with disturbances, milliseconds. */
  readonly milliseconds: number
  readonly faults?: SimFaults
  /** Nothing happens but what the caller has happen. */
  readonly isQuiet?: boolean
  /** Whether members need signatures of heads, and some of the time are of a version that knows of none. */
  readonly isSigned?: boolean
  /** How often the log loses its last heads. */
  readonly losses?: number
}

/** What a run showed. */
export interface SimResult {
  readonly steps: number
  /** Requests that were answered, and all that came. */
  readonly answered: number
  readonly asked: number
  /** Heads that moved to another block. */
  readonly moves: number
  /** Requests that began after another one ended and saw an older head. */
  readonly violations: readonly string[]
  /** What was not as it should be long after the last disturbance. */
  readonly stuck: readonly string[]
  /** What happened before the first violation. */
  readonly notes: readonly string[]
}

/** Usual time with disturbances, milliseconds. */
export const DISTURBED = 40_000
/** How many members the fleet of a seed has, usually. */
export const membersOf = (seed: number): number => 2 + (seed % 4)
/** Time without disturbances at the end, milliseconds: the longest lease that others wait for, rounds, catching up. */
const QUIET = 20_000
/** Time without new blocks after that: all of them have become the head. */
const LAST_ROUND = 3000
/** Blocks that members synchronise, and milliseconds for which the slowest one executes a block. */
const SYNCED_BLOCKS = 400
const SLOW_BLOCK = 8
/** Share of lives of members that are of a version without signatures, where there are some. */
const OLD_LIVES = 0.3
/** Fastest and slowest clock: they differ in speed by less than a third. */
const RATES = [0.88, 1.15] as const

/** Runs a fleet with clients, blocks and disturbances. */
export async function simulate(run: SimRun): Promise<SimResult> {
  const fleet = new SimFleet(run)
  for (let loss = 1; loss <= (run.losses ?? 0); loss += 1)
    fleet.loseTailAt((loss * run.milliseconds) / (1 + (run.losses ?? 0)))
  await fleet.disturbed(run.milliseconds)
  await fleet.quiet(QUIET)
  return fleet.result()
}

/**
 * Three members synchronise without disturbances: one has executed all blocks at once, another one executes half as fast
 * as the third. @returns numbers of the fleet head and of the last block of the slowest member, while all are apart
 */
export async function simulateBacklog(
  seed: number,
): Promise<{ readonly head: number; readonly slowest: number }> {
  const fleet = new SimFleet({ seed, members: 3, milliseconds: 0, isQuiet: true })
  return fleet.backlog(SYNCED_BLOCKS)
}

class SimFleet {
  readonly #world: SimWorld
  readonly #server: SimServer
  readonly #faults: SimFaults
  readonly #signatures: SimSignatures
  readonly #ids: readonly MemberId[]
  readonly #disks = new Map<MemberId, SimDisk>()
  readonly #rates = new Map<MemberId, number>()
  readonly #nodes = new Map<MemberId, SimNode>()
  /** Members whose present life knows of no signatures. */
  readonly #old = new Set<MemberId>()
  readonly #blocks = new Map<string, FleetBlock>()
  #heaviest: FleetBlock
  #newest: FleetBlock
  #isDisturbed = true
  #makesBlocks = true
  #answered = 0
  #asked = 0
  readonly #violations: string[] = []
  #notes: readonly string[] = []
  /** The heaviest head that an answer had which has ended. */
  #seen: FleetBlock

  constructor({ seed, members, faults = {}, isQuiet = false, isSigned = false }: SimRun) {
    const world = new SimWorld(seed)
    this.#world = world
    this.#faults = faults
    this.#server = new SimServer(world, faults)
    const genesis = this.#block(0, 1n)
    this.#heaviest = genesis
    this.#newest = genesis
    this.#seen = genesis
    this.#ids = Array.from({ length: members }, (_, index) => String(index + 1).padStart(16, '0'))
    this.#signatures = new SimSignatures(world, faults, this.#ids, isSigned)
    for (const id of this.#ids) {
      this.#disks.set(id, new SimDisk(genesis))
      this.#rates.set(id, world.between(...RATES))
      this.#start(id)
    }
    this.#isDisturbed = !isQuiet
    if (isQuiet) return
    this.#makeBlocks()
    this.#ask()
    this.#disturb()
  }

  loseTailAt(time: number): void {
    const world = this.#world
    world.after(time, null, () => this.#server.loseTail(Math.ceil(world.between(0, 6))))
  }

  async backlog(count: number): Promise<{ readonly head: number; readonly slowest: number }> {
    const world = this.#world
    // By then all are named.
    await world.run(QUIET)
    const blocks = Array.from({ length: count }, (_, index) => this.#block(index + 1, BigInt(index + 2)))
    for (const [at, node] of [...this.#nodes.values()].entries())
      for (const [index, block] of blocks.entries())
        world.after((index * at * SLOW_BLOCK) / 2, node.process, () => node.execute(block))
    await world.run(world.now + (count * SLOW_BLOCK) / 3)
    const slowest = this.#disks.get(this.#ids.at(-1) ?? '')?.executed.size ?? 0
    return { head: this.#server.heads.at(-1)?.number ?? 0, slowest: slowest - 1 }
  }

  disturbed(milliseconds: number): Promise<void> {
    return this.#world.run(milliseconds)
  }

  async quiet(milliseconds: number): Promise<void> {
    const world = this.#world
    this.#isDisturbed = false
    this.#server.isDown = false
    for (const link of this.#server.links.values()) {
      link.isOutBlocked = false
      link.blockedUntil = 0
      link.silentUntil = 0
    }
    for (const [id, node] of this.#nodes) {
      node.process.stoppedUntil = 0
      if (node.process.isDead || node.member?.absence === 'draining' || this.#old.has(id)) this.#start(id)
    }
    await world.run(world.now + milliseconds)
    this.#makesBlocks = false
    await world.run(world.now + LAST_ROUND)
  }

  result(): SimResult {
    const stuck = this.#ids.flatMap((id) => {
      const node = this.#nodes.get(id)
      const head = this.#disks.get(id)?.canonical
      if (node?.front.serves !== true) return [`${id} does not serve: ${node?.member?.absence}`]
      return head?.totalDifficulty === this.#heaviest.totalDifficulty ? [] : [`${id} is behind`]
    })
    const hashes = this.#server.heads.map(({ hash }) => hash.toString('hex'))
    const moves = hashes.filter((hash, index) => hash !== hashes[index - 1]).length
    const { steps } = this.#world
    return {
      steps,
      answered: this.#answered,
      asked: this.#asked,
      moves,
      violations: this.#violations,
      stuck,
      notes: this.#notes,
    }
  }

  #start(id: MemberId): void {
    const { mayBeOld } = this.#signatures
    if (mayBeOld && this.#isDisturbed && this.#world.chance(OLD_LIVES)) this.#old.add(id)
    else this.#old.delete(id)
    const signatures = this.#signatures.book(id, this.#old.has(id))
    const before = this.#nodes.get(id)
    if (before !== undefined) {
      before.process.isDead = true
      before.member?.stop()
    }
    const disk = this.#disks.get(id) as SimDisk
    const node = new SimNode({
      world: this.#world,
      server: this.#server,
      faults: this.#faults,
      id,
      number: Number(id),
      disk,
      rate: this.#rates.get(id) ?? 1,
      blocks: this.#blocks,
      signatures,
      spoil: (announcement) => this.#signatures.spoil(announcement),
      logic: (end) => createFaultyLogic(this.#faults, id, end, SIM_TIMES.round, signatures),
    })
    this.#nodes.set(id, node)
    // What it has promised by then it does not know afterwards.
    node.front.onHold = () => {
      if (!this.#isDisturbed || !this.#world.chance(0.02)) return
      this.#world.after(this.#world.between(0, 5), null, () => {
        this.#world.note(`restart of ${id.slice(-1)}, which is held`)
        if (this.#nodes.get(id) === node) this.#start(id)
      })
    }
    for (const block of this.#blocks.values())
      if (!disk.executed.has(block.hash.toString('hex'))) this.#executeLater(id, node, block)
  }

  /** A block every second or so, now and then beside the newest. */
  #makeBlocks(): void {
    const world = this.#world
    world.after(world.between(100, 1200), null, () => {
      if (!this.#makesBlocks) return
      const isSide = world.chance(0.2)
      const parent = isSide ? world.pick([...this.#blocks.values()].slice(-4)) : this.#newest
      const block = this.#block(
        parent.number + 1,
        parent.totalDifficulty + BigInt(Math.ceil(world.between(1, 9))),
      )
      if (!isSide) this.#newest = block
      if (block.totalDifficulty > this.#heaviest.totalDifficulty) {
        this.#heaviest = block
        this.#newest = block
      }
      for (const [id, node] of this.#nodes) this.#executeLater(id, node, block)
      if (world.chance(0.5)) this.#server.append()
      this.#makeBlocks()
    })
  }

  #block(number: number, totalDifficulty: bigint): FleetBlock {
    const hash = Buffer.alloc(32)
    hash.writeUInt32BE(this.#blocks.size, 0)
    const block = { number, hash, totalDifficulty }
    this.#blocks.set(hash.toString('hex'), block)
    return block
  }

  #executeLater(id: MemberId, node: SimNode, block: FleetBlock): void {
    const world = this.#world
    const isLate = this.#isDisturbed && world.chance(0.03)
    world.after(isLate ? world.between(500, 4000) : world.between(5, 80), node.process, () => {
      if (this.#nodes.get(id) === node) node.execute(block)
    })
  }

  #ask(): void {
    const world = this.#world
    world.after(world.between(0, 8), null, () => {
      const id = world.pick(this.#ids)
      const node = this.#nodes.get(id)
      if (node !== undefined && !node.process.isDead) {
        this.#asked += 1
        const { totalDifficulty: floor } = this.#seen
        // What stands still takes the request when it goes on.
        world.after(world.between(0, 1), node.process, () => void this.#request(id, node, floor))
      }
      this.#ask()
    })
  }

  async #request(id: MemberId, node: SimNode, floor: bigint): Promise<void> {
    const world = this.#world
    const head = await node.front.begin()
    if (head === null) return
    await world.sleep(world.chance(0.02) ? world.between(20, 300) : world.between(0, 5), node.process)
    if (!node.front.mayAnswer()) return
    this.#answered += 1
    const signed = this.#signatures.count(head)
    if (signed < node.quorum && this.#violations.length === 0) this.#notes = [...world.notes]
    if (signed < node.quorum)
      this.#violations.push(`at ${Math.round(world.now)}: ${id} answers at a head with ${signed} signatures`)
    if (head.totalDifficulty < floor && this.#violations.length === 0) this.#notes = [...this.#world.notes]
    if (head.totalDifficulty < floor)
      this.#violations.push(
        `at ${Math.round(world.now)}: ${id} answers at ${head.totalDifficulty}, ${floor} was seen`,
      )
    if (head.totalDifficulty > this.#seen.totalDifficulty) this.#seen = head
  }

  #disturb(): void {
    const world = this.#world
    world.after(world.between(50, 2500), null, () => {
      if (!this.#isDisturbed) return
      const id = world.pick(this.#ids)
      const node = this.#nodes.get(id)
      const link = this.#server.link(id)
      const time = world.chance(0.5) ? world.between(20, 1000) : world.between(1000, 5000)
      const until = world.now + time
      const kind = world.pick([
        'stop',
        'crash',
        'restart',
        'cut',
        'out',
        'in',
        'silent',
        'down',
        'leave',
      ] as const)
      if (node === undefined || node.process.isDead) {
        this.#disturb()
        return
      }
      world.note(`${kind} ${id.slice(-1)} for ${time.toFixed(0)}`)
      if (kind === 'stop') node.process.stoppedUntil = until
      if (kind === 'restart') this.#start(id)
      if (kind === 'crash') {
        node.process.isDead = true
        node.member?.stop()
        world.after(time, null, () => {
          if (node.process.isDead && this.#nodes.get(id) === node) this.#start(id)
        })
      }
      if (kind === 'leave') {
        void node.member?.leave('draining')
        world.after(time + 500, null, () => {
          if (this.#nodes.get(id) === node) this.#start(id)
        })
      }
      if (kind === 'cut' || kind === 'in') link.blockedUntil = until
      if (kind === 'silent') link.silentUntil = until
      if (kind === 'cut' || kind === 'out') {
        link.isOutBlocked = true
        world.after(time, null, () => {
          link.isOutBlocked = false
        })
      }
      if (kind === 'down') {
        this.#server.isDown = true
        world.after(Math.min(time, 2500), null, () => {
          this.#server.isDown = false
        })
      }
      this.#disturb()
    })
  }
}
