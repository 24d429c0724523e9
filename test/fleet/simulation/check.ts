import type { TimedEntry } from './history.ts'
import { ADOPT_WAIT, LAG, READ_WAIT, SEND_WAIT, type SimBlock, type SimMember } from './simMember.ts'
import type { SimWorld } from './simulate.ts'

/** A rule of fleet.md that was broken, and how. */
export interface Violation {
  readonly rule: string
  readonly at: number
  readonly what: string
}

/** Milliseconds beside a bound: ways of messages and of commits. */
const SLACK = 120
const PRESENT_FOR = 2000
const POLL_WAIT = 2000
/** Nothing befell anybody for so long, milliseconds. */
const QUIET = 5000
/** Blocks in a row for which a member may be late before it is not waited for. */
const LATE_BLOCKS = 3
/** A member has an executed block so many milliseconds later: it is durable first. */
const COMMIT = 10
/** A wait in full. */
const FULL = ADOPT_WAIT - COMMIT

interface Known {
  readonly member: SimMember
  /** When it began, or its last fault was over. */
  freeSince: number
  readonly executedAt: Map<string, number>
  best: SimBlock
  bestAt: number
  head: SimBlock | null
  /** Blocks above the head on the way to the heaviest one, and since when. */
  way: Map<string, number>
  readonly heard: Map<string, { at: number; weight: bigint; hash: string }>
  /** Blocks in a row that waited in full and that a member had not executed then, as far as was heard here. */
  readonly lateness: Map<string, number>
  /** When the heaviest block that it knows of became heavier. */
  weights: { at: number; weight: bigint }[]
  isMaker: boolean
  /** Whom it found present last. */
  present: readonly string[]
  /** When it was stopped last, and went on. */
  stops: [number, number][]
  enacted: string[]
  reportedAt: number
}

/** Whether a history keeps the rules of fleet.md. */
export function check(history: readonly TimedEntry[], world: SimWorld): readonly Violation[] {
  const checker = new Checker(world)
  for (const entry of history) checker.look(entry)
  checker.end(history)
  return checker.violations
}

class Checker {
  readonly violations: Violation[] = []
  readonly #world: SimWorld
  readonly #known: Known[]
  readonly #refused = new Map<number, Set<string>>()
  readonly #hit = new Map<string, number>()
  /** Members that were cut off and have no peers yet, and since when. */
  readonly #apart = new Map<string, number>()
  readonly #admitted = new Map<string, Set<number>>()
  readonly #acknowledged = new Set<string>()
  readonly #adopted = new Set<string>()
  readonly #polled = new Map<string, string[]>()
  readonly #owners = new Map<string, number>()
  /** Members that are being asked for what is new of a filter. */
  readonly #underWay: { readonly filter: string; readonly process: number }[] = []
  /** Filters of which a member had the answer when it was killed: its client has not. */
  readonly #cutShort = new Set<string>()
  /** Blocks that an owner of filters had adopted when they were installed. */
  readonly #since = new Map<string, number>()
  /** Processes that run, copies and those of other chains apart. */
  readonly #running = new Set<SimMember>()
  #healedAt = 0
  #at = 0

  constructor(world: SimWorld) {
    this.#world = world
    const genesis = [...world.blocks.values()][0] as SimBlock
    this.#known = world.processes.map((member) => ({
      member,
      freeSince: 0,
      executedAt: new Map(),
      best: genesis,
      bestAt: 0,
      head: null,
      way: new Map(),
      heard: new Map(),
      lateness: new Map(),
      weights: [],
      isMaker: false,
      present: [],
      stops: [],
      enacted: [],
      reportedAt: Number.NEGATIVE_INFINITY,
    }))
  }

  look(entry: TimedEntry): void {
    this.#at = entry.at
    switch (entry.kind) {
      case 'began': {
        const known = this.#of(entry.process)
        const { head, best, blocks } = known.member.first
        known.freeSince = entry.at
        known.head = head
        known.best = best
        known.bestAt = entry.at
        for (const hash of blocks) known.executedAt.set(hash, entry.at)
        this.#follow(known)
        if (!entry.copy && !this.#world.foreigners.has(entry.member)) this.#running.add(known.member)
        // How late it was says nothing of its next life.
        for (const { lateness } of this.#known) lateness.delete(entry.member)
        return
      }
      case 'ended':
        this.#running.delete(this.#of(entry.process).member)
        for (const { filter, process } of this.#underWay)
          if (process === entry.process) this.#cutShort.add(filter)
        return
      case 'fault':
        for (const id of entry.hit) this.#hit.set(id, (this.#hit.get(id) ?? 0) + 1)
        if (entry.what === 'apart') this.#apart.set(entry.hit[0] ?? '', entry.at)
        if (entry.what === 'stop' || entry.what === 'kill')
          for (const known of this.#known)
            if (entry.hit.includes(known.member.options.id))
              known.stops.push([entry.at, Number.POSITIVE_INFINITY])
        return
      case 'healed':
        for (const id of entry.hit) {
          this.#hit.set(id, (this.#hit.get(id) ?? 0) - 1)
          this.#apart.delete(id)
        }
        for (const known of this.#known) {
          if (!entry.hit.includes(known.member.options.id)) continue
          known.freeSince = entry.at
          const last = known.stops.at(-1)
          if (last !== undefined) last[1] = Math.min(last[1], entry.at)
        }
        this.#healedAt = entry.at
        return
      case 'executed':
        this.#executed(entry)
        return
      case 'refused': {
        const refused = this.#refused.get(entry.process) ?? new Set()
        this.#refused.set(entry.process, refused.add(entry.hash))
        return
      }
      case 'adopted':
        this.#adopts(entry)
        return
      case 'told':
        this.#told(entry)
        return
      case 'heard': {
        const known = this.#of(entry.process)
        if (this.#world.foreigners.has(entry.member)) return
        const { at, weight, hash } = entry
        known.heard.set(entry.member, { at, weight, hash })
        this.#weigh(known, weight)
        const executedAt = known.executedAt.get(hash)
        if (executedAt !== undefined && at - executedAt <= ADOPT_WAIT + COMMIT)
          known.lateness.delete(entry.member)
        return
      }
      case 'status':
        this.#status(entry)
        return
      case 'maker':
        this.#of(entry.process).isMaker = entry.isSelf
        return
      case 'admitted': {
        const members = this.#admitted.get(entry.hash) ?? new Set()
        this.#admitted.set(entry.hash, members.add(entry.process))
        return
      }
      case 'acknowledged':
        this.#acknowledges(entry)
        return
      case 'read':
        if (entry.waited > READ_WAIT + SLACK && !this.#wasStopped(entry.at - entry.waited, entry.process))
          this.#broken('1', `a read waited for ${entry.waited} ms`)
        if (entry.answer === 'refused' && this.#isOnlyApart(entry.process, entry.number))
          this.#broken('1 refused', `block ${entry.number}, which only a member has that was cut off`)
        if (entry.answer === 'null' && this.#isQuiet)
          this.#broken(
            '3 readable',
            `block ${entry.number} is served at one member and null at ${entry.process}`,
          )
        return
      case 'filter':
        this.#owners.set(entry.filter, entry.process)
        this.#since.set(entry.filter, this.#of(entry.process).enacted.length)
        this.#polled.set(entry.filter, [])
        return
      case 'polls':
        this.#underWay.push(entry)
        return
      case 'polled':
        this.#underWay.splice(
          this.#underWay.findIndex((poll) => isSame(poll, entry)),
          1,
        )
        if (entry.waited > POLL_WAIT + SLACK && !this.#wasStopped(entry.at - entry.waited))
          this.#broken('1', `a poll waited for ${entry.waited} ms`)
        if (entry.hashes !== null) this.#polled.get(entry.filter)?.push(...entry.hashes)
        return
      case 'threw':
        this.#broken('10', entry.what)
    }
  }

  end(history: readonly TimedEntry[]): void {
    this.#at = history.at(-1)?.at ?? 0
    const { running, scenario } = this.#world
    for (const member of running) {
      const known = this.#of(member.options.process)
      for (const [hash, since] of known.way)
        if (this.#at - since > ADOPT_WAIT + SLACK)
          this.#broken(
            '1',
            `${member.options.name} has not adopted ${short(hash)} after ${this.#at - since} ms`,
          )
      // A message that is lost by itself is made good by peers, which are not simulated.
      for (const hash of this.#acknowledged)
        if (!member.pool.has(hash) && scenario.loss === 0)
          this.#broken('5', `${member.options.name} lacks ${short(hash)}, which was acknowledged`)
    }
    for (const hash of this.#acknowledged)
      if (!running.some(({ pool }) => pool.has(hash))) this.#broken('5', `${short(hash)} is lost`)
    for (const [filter, polled] of this.#polled) this.#checkFilter(filter, polled)
  }

  #checkFilter(filter: string, polled: readonly string[]): void {
    const known = this.#of(this.#owners.get(filter) ?? 0)
    if (!known.member.isAlive) return
    const enacted = known.enacted.slice(this.#since.get(filter))
    const { isDisturbed, loss } = this.#world.scenario
    const isClean = !isDisturbed && loss === 0
    // Where the word that an answer came is lost the next poll tells the same again. That of a member that stood still
    // comes late: its client has polled elsewhere meanwhile.
    const onceOf = (hashes: readonly string[]) => [...new Set(hashes)].sort()
    const [got, due] = isClean ? [polled, enacted] : [onceOf(polled), onceOf(enacted)]
    if (got.join() === due.join()) return
    const missing = due.filter((hash) => !got.includes(hash))
    if (this.#cutShort.has(filter) && got.every((hash) => due.includes(hash))) return
    this.#broken('8', `a filter told ${got.length} blocks of ${due.length}, ${missing.length} are missing`)
  }

  #executed({ process, hash }: Extract<TimedEntry, { kind: 'executed' }>): void {
    const known = this.#of(process)
    known.executedAt.set(hash, this.#at)
    // Who had it before is not late.
    for (const [member, heard] of known.heard) if (heard.hash === hash) known.lateness.delete(member)
    const block = this.#block(hash)
    this.#weigh(known, block.totalDifficulty)
    if (block.totalDifficulty <= known.best.totalDifficulty) return
    known.best = block
    known.bestAt = this.#at
    this.#follow(known)
  }

  #adopts({ process, hash, best, waitsFor }: Extract<TimedEntry, { kind: 'adopted' }>): void {
    const known = this.#of(process)
    const block = this.#block(hash)
    const { name } = known.member.options
    const before = known.head
    if (before !== null && block.totalDifficulty <= before.totalDifficulty)
      this.#broken('3 back', `${name} went from ${before.number} to ${block.number}, which is not heavier`)
    if (!isOn(block, this.#block(best)))
      this.#broken('3 overtaken', `${name} adopted ${short(hash)}, which is not on the way to its heaviest`)
    const executedAt = known.executedAt.get(hash)
    if (executedAt === undefined) this.#broken('3', `${name} adopted what it had not executed`)
    const since = known.way.get(hash) ?? executedAt ?? this.#at
    const waited = this.#at - since
    if (waited > ADOPT_WAIT + SLACK && !this.#wasStopped(since))
      this.#broken('1', `${name} adopted ${short(hash)} after ${Math.round(waited)} ms`)
    if (this.#at - (executedAt ?? 0) < FULL && this.#isQuiet && !this.#adopted.has(hash))
      this.#judgeWait(known, block, waitsFor)
    if (waited >= FULL && !this.#wasStopped(since)) this.#countLate(known, block)
    this.#enact(known, block)
  }

  #enact(known: Known, block: SimBlock): void {
    const old = new Set<string>()
    for (let at = known.head; at !== null; at = at.parent) old.add(at.hashHex)
    const enacted: string[] = []
    for (let at: SimBlock | null = block; at !== null && !old.has(at.hashHex); at = at.parent)
      enacted.unshift(at.hashHex)
    for (const hash of enacted) this.#adopted.add(hash)
    known.enacted.push(...enacted)
    known.head = block
    this.#follow(known)
  }

  /** A block waited in full: for somebody who was not late for three before it. */
  #countLate(known: Known, block: SimBlock): void {
    const { lateness, heard } = known
    const lacking = known.present.filter((id) => {
      const head = this.#world.blocks.get(heard.get(id)?.hash ?? '')
      return head !== undefined && head !== block && isOn(head, block)
    })
    const counts = lacking.map((id) => lateness.get(id) ?? 0)
    // Somebody had it in the last moment, and was waited for.
    const isInTime = known.present.some((id) => this.#at - (heard.get(id)?.at ?? 0) < COMMIT)
    if (lacking.length > 0 && !isInTime && counts.every((count) => count >= LATE_BLOCKS))
      this.#broken(
        '3 late',
        `${known.member.options.name} waited in full for ${lacking}, late for ${counts} blocks before ${short(block.hashHex)}`,
      )
    for (const id of lacking) lateness.set(id, (lateness.get(id) ?? 0) + 1)
  }

  /** Whether somebody should have been waited for. */
  #judgeWait(known: Known, block: SimBlock, waitsFor: readonly string[]): void {
    for (const other of this.#known) {
      const { id, name, process } = other.member.options
      if (other === known || !waitsFor.includes(id) || !this.#running.has(other.member)) continue
      const isBelow = other.best !== block && isOn(other.best, block)
      const refused = [...(this.#refused.get(process) ?? [])].some((hash) => isOn(this.#block(hash), block))
      // What it was before may be what is known of it.
      if (isBelow && !refused && this.#at - other.bestAt > 50)
        this.#broken(
          '3 waits',
          `${known.member.options.name} adopted ${short(block.hashHex)} before ${name} had it`,
        )
    }
  }

  #told({ member, process }: Extract<TimedEntry, { kind: 'told' }>): void {
    const known = this.#of(process)
    known.reportedAt = this.#at
    if (!this.#world.scenario.hasCopy || this.#at < 13_000) return
    for (const other of this.#known)
      if (other !== known && other.member.options.id === member && this.#at - other.reportedAt < 1000)
        this.#broken('2 copy', `two processes tell themselves as member ${member}`)
  }

  #status({ process, present, isPresent }: Extract<TimedEntry, { kind: 'status' }>): void {
    const known = this.#of(process)
    const { id, name, foreign } = known.member.options
    known.present = present
    if (foreign) return
    for (const other of present) {
      if (this.#world.foreigners.has(other))
        this.#broken('2 genesis', `${name} finds one of another chain present`)
      const heard = known.heard.get(other)
      if (heard === undefined) continue
      const silent = this.#at - heard.at
      if (silent > PRESENT_FOR + SLACK && !this.#wasStopped(this.#at - silent, process))
        this.#broken('2 silent', `${name} finds ${other} present after ${Math.round(silent)} ms of silence`)
      const ahead = known.weights.find(({ weight }) => weight > heard.weight)
      if (ahead !== undefined && this.#at - ahead.at > LAG + SLACK)
        this.#broken(
          '2 behind',
          `${name} finds ${other} present, which is behind for ${this.#at - ahead.at} ms`,
        )
    }
    if (!this.#isQuiet || this.#world.scenario.hasCopy || this.#world.scenario.isSlow) return
    const smallest = [...this.#running].map(({ options }) => options.id).sort()[0]
    if (isPresent && known.isMaker !== (id === smallest))
      this.#broken('4 maker', `${name} ${known.isMaker ? 'makes' : 'does not make'} blocks`)
  }

  #acknowledges({ process, hash, waited }: Extract<TimedEntry, { kind: 'acknowledged' }>): void {
    this.#acknowledged.add(hash)
    const { name } = this.#of(process).member.options
    if (waited > SEND_WAIT + SLACK && !this.#wasStopped(this.#at - waited))
      this.#broken('1', `a send at ${name} waited for ${waited} ms`)
    if (!this.#isQuiet) return
    for (const member of this.#running)
      if (
        this.#of(process).present.includes(member.options.id) &&
        this.#admitted.get(hash)?.has(member.options.process) !== true
      )
        this.#broken('5 known', `${name} acknowledged ${short(hash)} before ${member.options.name} had it`)
  }

  /** Since when blocks are on the way to the heaviest one. */
  #follow(known: Known): void {
    const way = new Map<string, number>()
    const { head, best } = known
    if (head === null) return
    for (let block: SimBlock | null = best; block !== null && !isOn(block, head); block = block.parent)
      way.set(block.hashHex, known.way.get(block.hashHex) ?? this.#at)
    known.way = way
  }

  #weigh(known: Known, weight: bigint): void {
    const last = known.weights.at(-1)
    if (last === undefined || last.weight < weight) known.weights.push({ at: this.#at, weight })
  }

  get #isQuiet(): boolean {
    const { loss } = this.#world.scenario
    const isHit = [...this.#hit.values()].some((count) => count > 0)
    return loss === 0 && !isHit && this.#at - this.#healedAt > QUIET && this.#at > QUIET
  }

  /** Whether a process stood still at a time between; any unless given. */
  #wasStopped(since: number, process?: number): boolean {
    const all = process === undefined ? this.#known : [this.#of(process)]
    return all.some(({ stops }) => stops.some(([from, to]) => from <= this.#at && to + SLACK >= since))
  }

  /** Whether nobody has executed a block of some height but members that were cut off, for a while; nor was this one hit. */
  #isOnlyApart(process: number, number: number): boolean {
    const isHit = (member: SimMember) => (this.#hit.get(member.options.id) ?? 0) > 0
    if (this.#world.scenario.loss > 0 || isHit(this.#of(process).member)) return false
    const having = [...this.#running].filter(
      (member) => this.#of(member.options.process).best.number >= number,
    )
    // A process that began, or was cut off itself, meanwhile knows of no other cut.
    const { freeSince } = this.#of(process)
    return having.length > 0 && having.every(({ options }) => (this.#apart.get(options.id) ?? 0) > freeSince)
  }

  #of(process: number): Known {
    return this.#known[process] as Known
  }

  #block(hash: string): SimBlock {
    return this.#world.blocks.get(hash) as SimBlock
  }

  #broken(rule: string, what: string): void {
    this.violations.push({ rule, at: this.#at, what })
  }
}

/** Whether a block is another one or below it. */
function isOn(block: SimBlock, descendant: SimBlock): boolean {
  let walked: SimBlock | null = descendant
  while (walked !== null && walked.number > block.number) walked = walked.parent
  return walked === block
}

function isSame(
  one: { filter: string; process: number },
  other: { filter: string; process: number },
): boolean {
  return one.filter === other.filter && one.process === other.process
}

function short(hash: string): string {
  return hash.slice(0, 8)
}
