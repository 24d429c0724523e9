import type { Logger } from '../../observe/logger.ts'
import type { Scheduler } from '../../p2p/peers/scheduler.ts'
import {
  EVERY_REVISION,
  type FleetAbsence,
  type FleetBlock,
  type FleetHead,
  type MemberId,
  type SignatureWait,
} from '../interface.ts'
import { MemberSignatures } from '../quorum/memberSignatures.ts'
import type { SignatureBook } from '../quorum/signatureBook.ts'
import { ANNOUNCED_BLOCKS, type Announcement } from './announcement.ts'
import { LagWatch } from './lagWatch.ts'
import { type LeaderAction, LeaderLogic, type LeaderScene } from './leaderLogic.ts'
import { MemberLogic } from './memberLogic.ts'
import type { HeadLog, MemberBus, MemberChain, MemberFront, MemberLeases } from './memberPorts.ts'
import type { PrepareAnswer, PrepareRequest } from './prepare.ts'
import { RoundHolds } from './roundHolds.ts'
import { type EarlierLife, ServedHead } from './servedHead.ts'
import { ANNOUNCED_SHARED, SharedBlocks } from './sharedBlocks.ts'

/** Blocks that it executed last which it announces. */
const ANNOUNCED_OWN = ANNOUNCED_BLOCKS - ANNOUNCED_SHARED
/** Time between two looks at what only time changes, milliseconds: while the leader waits for something, and otherwise. */
const TICK = 50
const REST_TICK = 250
/** Executed blocks that come together are announced together, milliseconds. */
const ANNOUNCE_DELAY = 2
/** Pause before a head that could not be moved to is tried again, milliseconds. */
const MOVE_PAUSE = 1000

/** Times of a fleet, milliseconds. */
export interface MemberTimes {
  /** Length of a lease. */
  readonly lease: number
  /** For which members may take to prepare. */
  readonly round: number
  /** For which a round may hold requests. */
  readonly hold: number
  /** For which a member may lack a block that the others have. */
  readonly lag: number
}

/** How this member is, for others to see. */
export interface MemberFacts {
  readonly name: string
  readonly number: number
  readonly version: string
  readonly load: number
}

/** What a {@link FleetMember} is made of. */
export interface FleetMemberParts {
  readonly self: MemberId
  readonly times: MemberTimes
  readonly log: HeadLog
  readonly leases: MemberLeases
  readonly bus: MemberBus
  readonly chain: MemberChain
  readonly front: MemberFront
  readonly scheduler: Scheduler
  readonly logger: Logger
  /** Signatures of heads that this member makes, needs and knows of (fleet.md §12). */
  readonly signatures: SignatureBook
  /** Last sequence of the log, read after this member had its lease for the first time. */
  readonly end: number
  /** What it knows of the fleet from an earlier life; null for a new member. */
  readonly before: EarlierLife | null
  facts(): MemberFacts
  /** Fetches a block that a head names and that is not executed here; resolves after a try. */
  fetch(hash: Buffer): Promise<void>
  /** Something changed that others look at. */
  onChange(): void
  /** Logic to use in place of the product's. */
  readonly logic?: { readonly member: MemberLogic; readonly leader: LeaderLogic }
}

/**
 * One member of a fleet: applies heads, prepares for rounds, leads when it has the lease (fleet.md §3). What is decided
 * is decided in {@link MemberLogic} and {@link LeaderLogic}; here it is done, in the order that the rules want.
 */
export class FleetMember {
  readonly holds: RoundHolds = new RoundHolds()
  readonly #parts: FleetMemberParts
  readonly #logic: MemberLogic
  readonly #leader: LeaderLogic
  readonly #lagWatch: LagWatch
  readonly #shared: SharedBlocks
  readonly #signatures: MemberSignatures
  /** The canonical head. */
  readonly served: ServedHead
  #executed: FleetBlock[] = []
  #told: { absence: FleetAbsence | null; revision: number } | null = null
  #cancelTick: () => void = () => undefined
  #isResting = false
  #isAnnouncing = false
  #isStopped = false
  /** It applies a head: whether that has its signatures is known when it has done so. */
  #isMoving = false
  /** Grows when it is fenced: what was begun before counts no more. */
  #life = 0

  constructor(parts: FleetMemberParts) {
    this.#parts = parts
    const { self, times, end, signatures, logic } = parts
    this.#logic = logic?.member ?? new MemberLogic(self, end, signatures.quorum === 0)
    this.#leader = logic?.leader ?? new LeaderLogic(self, times.round, signatures)
    this.served = new ServedHead(parts.before, () => parts.scheduler.now(), parts.times.lease)
    this.#lagWatch = new LagWatch(parts.self)
    this.#shared = new SharedBlocks(parts.chain)
    this.#signatures = new MemberSignatures(signatures, parts.scheduler, () => this.#announceSoon())
  }

  get head(): FleetHead | null {
    return this.#logic.applied
  }

  get absence(): FleetAbsence | null {
    return this.#logic.absence
  }

  get leader(): LeaderLogic {
    return this.#leader
  }

  /** Milliseconds for which it lacks a block that the others have; 0 for none. */
  get lag(): number {
    return this.#lagWatch.lag
  }

  /** For which signatures the head stands still, or this member does not serve it; null for none (fleet.md §12). */
  get waits(): SignatureWait | null {
    const { signatures } = this.#parts
    const { applied } = this.#logic
    if (applied !== null && !this.#logic.isSigned)
      return { number: applied.number, signatures: signatures.of(applied).length, needed: signatures.quorum }
    return this.#leader.waits(this.#scene)
  }

  /** Its canonical head, once known. */
  get canonical(): FleetBlock | null {
    return this.served.block
  }

  /** Begins to take part. @param heaviest block that it has executed */
  async start(heaviest: FleetBlock): Promise<void> {
    const { before, chain, end, front } = this.#parts
    const head = await chain.head()
    this.served.block = head
    this.#executed = [heaviest, head]
    this.#leader.start(this.served.doubtAtStart(end, before))
    this.#tellFront()
    // What a thread before this one had held may be of a log that counted further.
    front.tell({ kind: 'release', revision: EVERY_REVISION, hash: head.hash })
    this.#announce()
    this.#tick()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTick()
  }

  /** The pool is that of the log: it may serve when a head names it. */
  ready(): void {
    this.#logic.ready()
    this.#changed()
  }

  /** Executed and durable here. */
  executed(block: FleetBlock): void {
    this.#executed = [block, ...this.#executed].slice(0, ANNOUNCED_OWN)
    this.#announceSoon()
  }

  heard(announcement: Announcement): void {
    // What others hear of this member it knows itself, and earlier.
    if (announcement.member === this.#parts.self) return
    this.#leader.heard(announcement, this.#parts.scheduler.now())
    this.#hearSignatures(announcement)
    void this.#shared
      .hear(announcement, this.#executed, this.#logic.applied?.totalDifficulty ?? 0n)
      .then((isNew) => {
        if (isNew) this.#announceSoon()
      })
      // The next announcement is looked at again.
      .catch(() => undefined)
    this.#wake()
  }

  /** Says again how it is; with every renewal of the lease. */
  announce(): void {
    this.#announce()
    this.#wake()
  }

  /** Leases changed. */
  wake(): void {
    this.#wake()
  }

  /**
   * Applies an entry of the log, in its order; resolves when this member stands on its block.
   * @param time when the stream stored it, milliseconds since 1970
   */
  async applyHead(head: FleetHead, time?: number): Promise<void> {
    const { signatures } = this.#parts
    signatures.hear(head, head.signatures ?? [])
    if (this.served.stays && this.served.isLighter(head)) return this.#pass(head)
    this.#isMoving = true
    try {
      if (!signatures.suffices(head)) await this.#stopUnsigned()
      await this.#moveTo(head, time)
    } finally {
      this.#isMoving = false
    }
  }

  async #moveTo(head: FleetHead, time?: number): Promise<void> {
    const { chain, front, scheduler, signatures } = this.#parts
    if (!(await this.#stand(head, time))) return
    const canonical = await chain.head()
    this.served.applied(canonical)
    const isOnHead = canonical.hash.equals(head.hash)
    const wasHeld = this.#logic.isHeld
    this.#logic.apply(head, isOnHead)
    this.#logic.isSigned = signatures.suffices(head)
    signatures.headChanged(head)
    if (wasHeld) this.holds.ended(scheduler.now())
    this.#leader.applied(head, scheduler.now())
    this.#tellFront()
    front.tell({ kind: 'release', revision: head.revision, hash: head.hash })
    this.#changed()
  }

  /** The front thread has to know before it sees a head that it may not serve. */
  async #stopUnsigned(): Promise<void> {
    this.#logic.isSigned = false
    this.#tellFront()
    await this.#parts.front.ping()
  }

  #hearSignatures({ signed }: Announcement): void {
    const { signatures } = this.#parts
    if (!this.#signatures.hear(signed, this.#executed)) return
    const { applied, isSigned } = this.#logic
    if (this.#isMoving || isSigned || applied === null || !signatures.suffices(applied)) return
    this.#logic.isSigned = true
    this.#changed()
  }

  /** A leader asks. */
  async prepare(request: PrepareRequest): Promise<PrepareAnswer> {
    const { chain, front, scheduler, times } = this.#parts
    const life = this.#life
    const block = await chain.executed(request.hash)
    const refusal = this.#logic.refusal(request, block !== null)
    if (refusal !== null) return { refusal }
    const lacking = block && this.#signatures.lacking(block, request.signatures ?? [])
    if (lacking !== null) return { refusal: lacking }
    this.holds.began(scheduler.now())
    await front.hold(request.revision)
    if (life !== this.#life) return { refusal: 'its lease was ended meanwhile' }
    this.#logic.promise(request.revision)
    if (!this.#logic.isHeld) this.holds.ended(scheduler.now())
    scheduler.after(times.hold, () => {
      if (this.#logic.heldLong(request.revision)) this.#changed()
    })
    return { refusal: null }
  }

  /** Its lease holds, or its deadline has passed. */
  leaseChanged(isOver: boolean): void {
    this.#logic.isOver = isOver
    this.#changed()
  }

  /**
   * Others ended its lease. The front thread is told when this returns; the next sign of life that is asked of it comes
   * after that, and a deadline is written only after such a sign.
   */
  fenced(): void {
    this.#life += 1
    this.#logic.fence()
    this.#changed()
    void this.#renew(this.#life)
  }

  async #renew(life: number): Promise<void> {
    const { log, scheduler } = this.#parts
    while (life === this.#life && !this.#isStopped) {
      const end = await log.end().catch(() => null)
      if (life !== this.#life) return
      if (end !== null) {
        this.#logic.renew(end)
        this.#changed()
        return
      }
      await new Promise<void>((resolve) => scheduler.after(MOVE_PAUSE, resolve))
    }
  }

  /** Stops serving and has itself left out; resolves when the front thread knows. */
  async leave(why: 'draining' | 'joining'): Promise<void> {
    this.#logic.leave(why)
    this.#tellFront()
    await this.#parts.front.ping()
    this.#logic.stopped()
    this.#changed()
  }

  /**
   * The log is another one or lost its tail (fleet.md §4).
   * @param head the last that it has
   * @param end its last sequence
   */
  lost(head: FleetHead | null, end: number): void {
    const { front } = this.#parts
    const named = this.#logic.applied?.members ?? []
    this.#life += 1
    this.#logic.lose(end)
    this.#tellFront()
    // No entry that is to come has a revision that ends a hold of before; membership refuses meanwhile.
    const hash = this.served.block?.hash ?? Buffer.alloc(0)
    front.tell({ kind: 'release', revision: EVERY_REVISION, hash })
    this.#leader.lost(head, this.served.lose(end, named))
    this.#changed()
  }

  /** It does not stand where the fleet does, and says so. */
  #pass(head: FleetHead): void {
    this.#logic.apply(head, false)
    this.#leader.applied(head, this.#parts.scheduler.now())
    this.#changed()
  }

  /** Moves the canonical head to that of an entry. @returns whether it stands there */
  async #stand(head: FleetHead, time: number | undefined): Promise<boolean> {
    const { chain, logger, scheduler } = this.#parts
    while (!this.#isStopped) {
      const block = await chain.executed(head.hash)
      if (block !== null) {
        try {
          // Also where it is there already: the pool grows old by it.
          await chain.moveHead(head.hash, time)
          return true
        } catch (error) {
          logger.error({ err: error, number: head.number }, 'the head cannot be moved to that of the fleet')
        }
      }
      if (this.#logic.applied !== head) this.#pass(head)
      if (block === null) await this.#parts.fetch(head.hash)
      else await new Promise<void>((resolve) => scheduler.after(MOVE_PAUSE, resolve))
    }
    return false
  }

  #changed(): void {
    this.#tellFront()
    this.#announce()
    this.#wake()
    this.#parts.onChange()
  }

  #tellFront(): void {
    const { absence, applied: head } = this.#logic
    const revision = head?.revision ?? 0
    if (this.#told?.absence === absence && this.#told.revision === revision) return
    this.#told = { absence, revision }
    this.#parts.front.tell({ kind: 'membership', absence, head })
  }

  #announceSoon(): void {
    if (this.#isAnnouncing) return
    this.#isAnnouncing = true
    this.#parts.scheduler.after(ANNOUNCE_DELAY, () => {
      this.#isAnnouncing = false
      this.announce()
    })
  }

  #announce(): void {
    if (this.#isStopped) return
    const { self, bus, facts, scheduler, signatures } = this.#parts
    const shared = this.#shared.newest(this.#logic.applied?.totalDifficulty ?? 0n)
    const announcement: Announcement = {
      ...facts(),
      member: self,
      applied: this.#logic.applied?.revision ?? 0,
      pledge: this.#logic.pledge,
      wants: this.#logic.wants,
      head: this.served.isOfFleet ? this.served.block : null,
      lag: this.#lagWatch.lag,
      executed: [...this.#executed, ...shared],
      quorum: signatures.quorum,
      signed: this.#signatures.sign({
        applied: this.#logic.applied,
        canonical: this.served.block,
        executed: this.#executed,
        shared,
        needed: this.#leader.greatestQuorum(this.#scene),
      }),
    }
    this.#leader.heard(announcement, scheduler.now())
    bus.announce(announcement)
  }

  #tick(): void {
    this.#cancelTick()
    this.#isResting = this.#leader.isAtRest
    this.#cancelTick = this.#parts.scheduler.after(this.#isResting ? REST_TICK : TICK, () => {
      if (this.#isStopped) return
      this.#watchLag()
      this.#wake()
      this.#tick()
    })
  }

  #watchLag(): void {
    const { leases, scheduler, times } = this.#parts
    const lag = this.#lagWatch.look(this.#logic.applied, this.#leader.views, leases, scheduler.now())
    if (lag > times.lag && !this.#lagWatch.isAway) {
      this.#lagWatch.isAway = true
      void this.leave('joining').catch(() => undefined)
    } else if (lag === 0 && this.#lagWatch.isAway) {
      this.#lagWatch.isAway = false
      this.#logic.comeBack()
      this.#changed()
    }
  }

  get #scene(): LeaderScene {
    const { leases, scheduler } = this.#parts
    return { now: scheduler.now(), known: leases.known, isOver: (id) => leases.isOver(id) }
  }

  /** Does what the leader is to do, until there is nothing. */
  #wake(): void {
    const { leases } = this.#parts
    for (;;) {
      if (this.#isStopped) return
      this.#leader.lead(leases.leading)
      const action = this.#leader.step(this.#scene)
      if (action === null) break
      this.#act(action)
    }
    // What began is looked at soon.
    if (this.#isResting && !this.#leader.isAtRest) this.#tick()
  }

  #act(action: LeaderAction): void {
    const { log, leases, scheduler } = this.#parts
    switch (action.kind) {
      case 'prepare':
        for (const member of action.members) void this.#ask(member, action.request)
        return
      case 'end':
        void leases
          .end(action.member)
          .catch(() => false)
          .then((isOver) => {
            this.#leader.ended(action.member, action.revision, isOver)
            // Where it is not over, the next tick looks again.
            if (isOver) this.#wake()
          })
        return
      case 'write':
        void log
          .writeHead(action.expected, action.entry)
          .catch((): 'unknown' => 'unknown')
          .then((outcome) => {
            if (outcome === 'unknown') this.#leader.unknown(action.expected, scheduler.now())
            this.#wake()
          })
    }
  }

  async #ask(member: MemberId, { signatures = [], ...rest }: PrepareRequest): Promise<void> {
    const { self, bus, scheduler, times } = this.#parts
    // Others need none, and those of an earlier version take no long request.
    const needs = (this.#leader.views.get(member)?.announcement?.quorum ?? 0) > 0
    const request = needs ? { ...rest, signatures } : rest
    try {
      const answer = await (member === self
        ? this.prepare(request)
        : bus.prepare(member, request, times.round))
      this.#leader.answered(member, request, answer, scheduler.now())
    } catch (error) {
      const refusal = error instanceof Error ? error.message : String(error)
      this.#leader.answered(member, request, { refusal }, scheduler.now())
    }
    this.#wake()
  }
}
