import type { FleetAbsence, FleetHead, MemberId } from '../interface.ts'
import type { PrepareRequest } from './prepare.ts'

/**
 * Whether this member may serve, as a function of what it applied, promised and lost: no clock, nothing else of the
 * machine (fleet.md §3).
 *
 * What a member promises is a *pledge* of a revision: it begins no request under a head of that revision or an earlier
 * one, ever again. A pledge stays true, however late somebody learns of it.
 */
export class MemberLogic {
  readonly #self: MemberId
  #applied: FleetHead | null = null
  #isOnHead = false
  /** It serves under heads of later revisions only. */
  #floor: number
  #held = 0
  #isHeldLong = false
  #isOver = false
  #isFenced = false
  #leaving: 'draining' | 'joining' | null = null
  /** The front thread knows that it leaves. */
  #isStopped = false
  #isReady = false
  #isSigned: boolean

  /**
   * @param end last sequence of the log, read after this member began: what it pledged in an earlier life it does not
   * know, but no later entry was prepared by that life alone
   * @param isSigned whether it may serve a head before it knows of signatures
   */
  constructor(self: MemberId, end: number, isSigned = true) {
    this.#self = self
    this.#floor = end
    this.#isSigned = isSigned
  }

  /** The head that it applied last. */
  get applied(): FleetHead | null {
    return this.#applied
  }

  /** Greatest revision under which it begins no request, ever again. */
  get pledge(): number {
    return Math.max(this.#floor, this.#held)
  }

  /** Whether it is to be named by the next head. */
  get wants(): boolean {
    const isFit = this.#isReady && this.#isOnHead && this.#isSigned
    return isFit && !this.#isOver && !this.#isFenced && this.#leaving === null
  }

  /** Why it does not serve; null when it does, or is held by a round for a moment. */
  get absence(): FleetAbsence | null {
    // Before all others: a member that is cut off may be one that answers at the head all the same.
    if (!this.#isSigned && this.#leaving !== 'draining')
      return this.#applied === null ? 'joining' : 'unsigned'
    if ((this.#isOver || this.#isFenced) && this.#leaving !== 'draining') return 'cutOff'
    if (this.#leaving !== null) return this.#leaving
    const applied = this.#applied
    if (applied === null || !this.#isOnHead || !this.#isReady) return 'joining'
    if (applied.revision <= this.#floor || !applied.members.includes(this.#self)) return 'joining'
    return this.isHeld && this.#isHeldLong ? 'held' : null
  }

  /** Whether a round holds what is relative to the head. */
  get isHeld(): boolean {
    return this.#held >= (this.#applied?.revision ?? 0) && this.#held > 0
  }

  /** It has the pool and applied the log up to where that was taken. */
  ready(): void {
    this.#isReady = true
  }

  /** Why a round cannot count on this member; null when it is to hold its requests and then to {@link promise}. */
  refusal({ epoch, revision }: PrepareRequest, hasBlock: boolean): string | null {
    const applied = this.#applied
    if (applied === null || applied.revision !== revision)
      return `it stands at revision ${applied?.revision ?? 0}, not ${revision}`
    if (epoch < applied.epoch) return `epoch ${epoch} is over`
    if (!this.#isOnHead) return 'it is not on the head of that revision'
    return hasBlock ? null : 'it has not executed the block'
  }

  /** Requests are held: none begins under this revision or an earlier one. */
  promise(revision: number): void {
    if (revision <= this.#held) return
    this.#held = revision
    this.#isHeldLong = false
  }

  /** A round has held it for longer than clients wait. @returns whether that holds it still */
  heldLong(revision: number): boolean {
    if (this.#held !== revision || !this.isHeld) return false
    this.#isHeldLong = true
    return true
  }

  /** An entry of the log. @param isOnHead whether the canonical head is its block */
  apply(head: FleetHead, isOnHead: boolean): void {
    this.#applied = head
    this.#isOnHead = isOnHead
    // Whoever does not want to serve says so under each revision anew: what it said before is about earlier ones.
    if (this.#isStopped) this.#raiseFloor(head.revision)
  }

  /** Whether the canonical head has the signatures that this member needs (fleet.md §12). */
  get isSigned(): boolean {
    return this.#isSigned
  }

  set isSigned(isSigned: boolean) {
    this.#isSigned = isSigned
  }

  /** Whether the deadline of its lease has passed; what others know of it is not changed by that. */
  set isOver(isOver: boolean) {
    this.#isOver = isOver
  }

  /** Others ended its lease: they count on its having stopped, under whatever head it is. */
  fence(): void {
    this.#isFenced = true
  }

  /** It may be named again. @param end last sequence of the log, read after it was fenced */
  renew(end: number): void {
    this.#isFenced = false
    this.#raiseFloor(end)
  }

  /** The log counts anew (fleet.md §4). @param end its last sequence */
  lose(end: number): void {
    this.#applied = null
    this.#isOnHead = false
    this.#floor = end
    this.#held = 0
  }

  /** It is to serve no more: told so (`draining`), or because it lacks blocks that all others have (`joining`). */
  leave(why: 'draining' | 'joining'): void {
    this.#leaving = why
  }

  /** The front thread knows that it leaves: it begins no request. */
  stopped(): void {
    if (this.#leaving === null) return
    this.#isStopped = true
    this.#raiseFloor(this.#applied?.revision ?? 0)
  }

  /** It is to serve again, once another head names it. */
  comeBack(): void {
    this.#leaving = null
    this.#isStopped = false
  }

  #raiseFloor(revision: number): void {
    this.#floor = Math.max(this.#floor, revision)
  }
}
