import type { FleetBlock, FleetHead, MemberId, SignatureWait } from '../interface.ts'
import type { SignatureBook } from '../quorum/signatureBook.ts'
import type { Announcement } from './announcement.ts'
import { type HeadEntry, MOST_MEMBERS } from './headEntry.ts'
import { type HeadDoubt, HeadRecovery, type RecoveryScene } from './headRecovery.ts'
import { MemberView } from './memberView.ts'
import type { PrepareAnswer, PrepareRequest } from './prepare.ts'

/** A head that is so old is written again, milliseconds: the log must not lose its last one to its limits. */
const REPEAT_AFTER = 30_000
/** Pause after a write whose outcome is unknown and, doubling, after a failed round, milliseconds. */
export const LEADER_PAUSE = 250

/** What the leader is to do. */
export type LeaderAction =
  /** Ask these members; each answer goes to {@link LeaderLogic.answered}. */
  | { readonly kind: 'prepare'; readonly members: readonly MemberId[]; readonly request: PrepareRequest }
  /**
   * End the lease of a member; the outcome goes to {@link LeaderLogic.ended}. An end after the revision was applied is
   * as good as a pledge of it: whoever has no lease then serves under later heads only (fleet.md §3).
   */
  | { readonly kind: 'end'; readonly member: MemberId; readonly revision: number }
  /** Write an entry that follows a revision; the outcome goes to {@link LeaderLogic.unknown} unless it is stored. */
  | { readonly kind: 'write'; readonly expected: number; readonly entry: HeadEntry }

/** What {@link LeaderLogic.step} looks at. */
export type LeaderScene = RecoveryScene

type Phase =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'preparing'
      readonly revision: number
      readonly block: FleetBlock
      readonly members: readonly MemberId[]
      readonly missing: Set<MemberId>
      readonly deadline: number
      isRefused: boolean
    }
  | { readonly kind: 'writing'; readonly expected: number; readonly entry: HeadEntry; retryAt: number }

const OPEN: Phase = { kind: 'open' }

/** Signatures of blocks, as far as a leader needs them (fleet.md §12). */
export type Signatures = Pick<SignatureBook, 'of' | 'has'>

/** Counts of a leader. */
export interface LeaderCounts {
  rounds: number
  aborts: number
}

/**
 * What a leader decides, as a function of what it heard (fleet.md §3): whom the next head names, which block it is, when
 * it may be written. It runs on every member, because whoever becomes the leader has to know what the others said.
 */
export class LeaderLogic {
  readonly counts: LeaderCounts = { rounds: 0, aborts: 0 }
  readonly #self: MemberId
  readonly #roundTime: number
  readonly #signatures: Signatures
  readonly #views = new Map<MemberId, MemberView>()
  #phase: Phase = OPEN
  #epoch: number | null = null
  #applied: FleetHead | null = null
  #appliedAt = 0
  readonly #ending = new Set<MemberId>()
  readonly #recovery: HeadRecovery

  /**
   * @param roundTime milliseconds for which members may take to prepare
   * @param signatures that this member knows of
   */
  constructor(self: MemberId, roundTime: number, signatures: Signatures) {
    this.#self = self
    this.#recovery = new HeadRecovery(self)
    this.#roundTime = roundTime
    this.#signatures = signatures
  }

  get views(): ReadonlyMap<MemberId, MemberView> {
    return this.#views
  }

  get isLeading(): boolean {
    return this.#epoch !== null
  }

  /** Whether it waits for nothing that a time ends which is shorter than a lease. */
  get isAtRest(): boolean {
    if (this.#epoch === null) return true
    if (this.#phase.kind !== 'open' || this.#recovery.isInDoubt) return false
    return (this.#applied?.members ?? []).every((id) => this.#views.get(id)?.hasFailed !== true)
  }

  /** @param epoch of the lease of the leader that this member has; null when it has none */
  lead(epoch: number | null): void {
    if (epoch === this.#epoch) return
    this.#epoch = epoch
    this.#phase = OPEN
    this.#ending.clear()
  }

  /** This member begins: others may have had a head that the log has no more (fleet.md §4). */
  start(doubt: HeadDoubt): void {
    this.#recovery.start(doubt)
  }

  /** This member applied an entry. */
  applied(head: FleetHead, now: number): void {
    this.#applied = head
    this.#appliedAt = now
    this.#recovery.applied(head.revision)
    for (const view of this.#views.values()) view.prune(head.totalDifficulty)
  }

  heard(announcement: Announcement, now: number): void {
    this.#view(announcement.member).hear(announcement, now)
  }

  /** The answer of a member to a prepare. */
  answered(member: MemberId, { revision }: PrepareRequest, { refusal }: PrepareAnswer, now: number): void {
    const view = this.#view(member)
    if (refusal === null) view.prepared(revision)
    else view.failed(now)
    const phase = this.#phase
    if (phase.kind !== 'preparing' || phase.revision !== revision) return
    if (refusal === null) phase.missing.delete(member)
    else phase.isRefused = true
  }

  /** Whether the lease of a member is over for everybody, as of a time after the revision was applied. */
  ended(member: MemberId, revision: number, isOver: boolean): void {
    this.#ending.delete(member)
    if (isOver) this.#view(member).pledged(revision)
  }

  /** Nobody knows whether the entry was stored. */
  unknown(expected: number, now: number): void {
    if (this.#phase.kind === 'writing' && this.#phase.expected === expected)
      this.#phase.retryAt = now + LEADER_PAUSE
  }

  /**
   * The log is another one or lost its tail: revisions count anew, and nobody serves until a head is restored
   * (fleet.md §4).
   * @param head last head of the log
   */
  lost(head: FleetHead | null, doubt: HeadDoubt): void {
    this.#applied = head
    this.#recovery.lose(doubt)
    this.#phase = OPEN
    this.#views.clear()
    this.#ending.clear()
  }

  /** What to do now; to be called again after it was done, after every other call, and when time passes. */
  step(scene: LeaderScene): LeaderAction | null {
    if (this.#epoch === null) return null
    const phase = this.#phase
    const revision = this.#applied?.revision ?? 0
    switch (phase.kind) {
      case 'writing':
        if (revision > phase.expected) return this.#reopen(scene)
        return scene.now >= phase.retryAt ? this.#write(phase.expected, phase.entry) : null
      case 'preparing':
        if (revision !== phase.revision) return this.#reopen(scene)
        if (this.isAnswered(phase.missing, phase.members) && this.mayLeave(revision))
          return this.#write(revision, this.#entry(phase.block, phase.members))
        if (phase.isRefused) return this.#abort(scene, [])
        return scene.now < phase.deadline ? null : this.#abort(scene, phase.missing)
      case 'open':
        return this.#open(scene)
    }
  }

  #reopen(scene: LeaderScene): LeaderAction | null {
    this.#phase = OPEN
    return this.#open(scene)
  }

  #open(scene: LeaderScene): LeaderAction | null {
    const applied = this.#applied
    if (!this.mayWrite(scene)) return null
    if (applied === null) return this.#restore(this.#recovery.firstHead(this.#views))
    const { revision } = applied
    const doubtful = applied.members.find(
      (id) => scene.isOver(id) && !this.hasStopped(id, revision) && !this.#ending.has(id),
    )
    if (doubtful !== undefined) {
      this.#ending.add(doubtful)
      return { kind: 'end', member: doubtful, revision }
    }
    const lost = this.#recovery.lostHead(this.#views, applied)
    if (lost !== null && this.mayLeave(revision)) return this.#restore(lost)
    const members = this.nextMembers(scene)
    if (this.mustRepeat(applied, members, scene.now) || this.mustSign(applied, scene))
      return this.#write(revision, this.#entry(applied, members))
    const block = this.candidate(members, scene.now)
    if (block === null) return null
    this.counts.rounds += 1
    const deadline = scene.now + this.#roundTime
    const missing = new Set(members)
    this.#phase = { kind: 'preparing', revision, block, members, missing, deadline, isRefused: false }
    const signatures = this.neededBy(members) === 0 ? [] : this.#signatures.of(block)
    const request = { epoch: this.#epoch ?? 0, revision, hash: block.hash, signatures }
    return { kind: 'prepare', members, request }
  }

  /** Whether nobody may have had a heavier head than those that this member has heard of. */
  protected mayWrite(scene: LeaderScene): boolean {
    return this.#recovery.mayWrite(scene, this.#views, this.#applied)
  }

  /** A head that nobody serves: members that have its block are named by the next ones. */
  #restore(block: FleetBlock | null): LeaderAction | null {
    return block === null ? null : this.#write(this.#applied?.revision ?? 0, this.#entry(block, []))
  }

  /** Whom the next head names. */
  protected nextMembers(scene: LeaderScene): MemberId[] {
    const applied = this.#applied
    if (applied === null) return []
    const stay = applied.members.filter((id) => {
      if (!this.hasStopped(id, applied.revision)) return true
      return !scene.isOver(id) && (this.#views.get(id)?.announcement?.wants ?? false)
    })
    const join = [...this.#views]
      .filter(([id, { announcement }]) => {
        if (announcement === null || !announcement.wants || scene.isOver(id)) return false
        if (applied.members.includes(id) || announcement.head === null) return false
        return announcement.applied === applied.revision && announcement.head.hash.equals(applied.hash)
      })
      .map(([id]) => id)
    return [...stay, ...join].sort()
  }

  /**
   * The heaviest block that all of these have executed, that has more difficulty than the head and the signatures that
   * each of these needs; null for none.
   */
  protected candidate(members: readonly MemberId[], now: number): FleetBlock | null {
    const applied = this.#applied
    if (applied === null || members.length === 0) return null
    const views = members.map((id) => this.#view(id))
    if (!views.every((view) => view.isReliable(now, LEADER_PAUSE))) return null
    if (!views.every(({ announcement }) => announcement?.applied === applied.revision)) return null
    return this.#heaviestOfAll(applied, members, this.neededBy(members))
  }

  /** The greatest number of signatures that one of these needs (fleet.md §12). */
  protected neededBy(members: Iterable<MemberId>): number {
    let most = 0
    for (const id of members) most = Math.max(most, this.#views.get(id)?.announcement?.quorum ?? 0)
    return most
  }

  /** The greatest number of signatures that a member needs, named or not. */
  greatestQuorum({ isOver }: Pick<LeaderScene, 'isOver'>): number {
    return this.neededBy([...this.#views.keys()].filter((id) => !isOver(id)))
  }

  /** For which signatures the head stands still; null when it does not (fleet.md §12). */
  waits(scene: LeaderScene): SignatureWait | null {
    const applied = this.#applied
    if (applied === null) return null
    const members = this.nextMembers(scene)
    const needed = this.neededBy(members)
    const block = needed === 0 ? null : this.#heaviestOfAll(applied, members, 0)
    if (block === null || this.#heaviestOfAll(applied, members, needed) !== null) return null
    return { number: block.number, signatures: this.#signatures.of(block).length, needed }
  }

  #heaviestOfAll(applied: FleetHead, members: readonly MemberId[], needed: number): FleetBlock | null {
    const [first, ...others] = members.map((id) => this.#view(id))
    let best: FleetBlock | null = null
    for (const block of first?.executed ?? []) {
      if (!this.isHeavier(block, best ?? applied)) continue
      if (others.every((view) => view.has(block.hash)) && this.#signatures.has(block, needed)) best = block
    }
    return best
  }

  /** Equal difficulty does not move the head (fleet.md §3). */
  protected isHeavier(block: FleetBlock, than: FleetBlock): boolean {
    return block.totalDifficulty > than.totalDifficulty
  }

  /** @param missing members that have not answered, of all that were asked */
  protected isAnswered(missing: ReadonlySet<MemberId>, _members: readonly MemberId[]): boolean {
    return missing.size === 0
  }

  /** Whether a member serves under no head up to a revision any more, whatever it has heard of. */
  protected hasStopped(id: MemberId, revision: number): boolean {
    return (this.#views.get(id)?.pledge ?? 0) >= revision
  }

  /** Whether everybody who may serve under the head has stopped: then another block may follow it. */
  protected mayLeave(revision: number): boolean {
    return (this.#applied?.members ?? []).every((id) => this.hasStopped(id, revision))
  }

  /**
   * Whether the head is to be written again: as the first of an epoch, to name other members, or because one that is
   * named begins requests under a later revision only: a round held it, it was started again, its lease was ended.
   */
  protected mustRepeat(
    { revision, epoch, leader, members }: FleetHead,
    next: readonly MemberId[],
    now: number,
  ): boolean {
    if (epoch !== this.#epoch || leader !== this.#self) return true
    if (now - this.#appliedAt >= REPEAT_AFTER || !isSame(next, members)) return true
    return next.some((id) => this.hasStopped(id, revision))
  }

  /** Whether the entry lacks signatures that are there by now, and that a member needs. */
  protected mustSign(applied: FleetHead, scene: LeaderScene): boolean {
    const needed = this.greatestQuorum(scene)
    return (applied.signatures?.length ?? 0) < needed && this.#signatures.has(applied, needed)
  }

  #abort(scene: LeaderScene, late: Iterable<MemberId>): LeaderAction | null {
    const applied = this.#applied
    if (applied === null) return null
    this.counts.aborts += 1
    for (const id of late) this.#view(id).failed(scene.now)
    return this.#write(applied.revision, this.#entry(applied, this.nextMembers(scene)))
  }

  #entry(block: FleetBlock, members: readonly MemberId[]): HeadEntry {
    const { number, hash, totalDifficulty } = block
    const signatures = this.#signatures.of(block)
    return { epoch: this.#epoch ?? 0, leader: this.#self, number, hash, totalDifficulty, members, signatures }
  }

  #write(expected: number, entry: HeadEntry): LeaderAction {
    this.#phase = { kind: 'writing', expected, entry, retryAt: Number.POSITIVE_INFINITY }
    return { kind: 'write', expected, entry }
  }

  /** What is not known of a member any more it announces again; until then it only counts for less. */
  #forgetOne(): void {
    const named = this.#applied?.members ?? []
    for (const id of this.#views.keys()) {
      if (id === this.#self || named.includes(id)) continue
      this.#views.delete(id)
      return
    }
  }

  #view(id: MemberId): MemberView {
    const known = this.#views.get(id)
    if (known !== undefined) return known
    if (this.#views.size >= MOST_MEMBERS) this.#forgetOne()
    const view = new MemberView()
    this.#views.set(id, view)
    return view
  }
}

function isSame(left: readonly MemberId[], right: readonly MemberId[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id))
}
