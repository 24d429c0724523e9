import {
  type AppliedHead,
  EVERY_REVISION,
  type FleetAbsence,
  type FleetFrontEvent,
  type FleetHead,
  type SharedLease,
} from '../../fleet/interface.ts'
import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { RpcError } from '../../rpc/errors.ts'
import { errorAnswer } from '../../rpc/execute.ts'
import { dependsOnHead } from '../../rpc/headUse.ts'
import type { JsonText } from '../../rpc/json.ts'
import type { Caller } from '../access/caller.ts'
import type { Exchange } from '../exchange.ts'
import type { AnswerSink } from '../scheduler/ticket.ts'
import { AppliedHeadWatch } from './appliedHead.ts'
import { type BodySink, HeldBodies, type HeldBytes } from './heldBodies.ts'
import { HoldTimes } from './holdTimes.ts'

/** What a gate is made of. */
export interface FleetGateOptions {
  readonly lease: SharedLease
  /** Milliseconds of the clock of the lease. */
  readonly clock: () => number
  /** Milliseconds for which bodies wait for a change of the head. */
  readonly hold: number
  /** Whether reads are answered at the last head while this member is cut off. */
  readonly servesIsolated: boolean
  /** Hash of the head that requests see when the gate is made. */
  readonly head: Buffer
}

/** Why a member does not serve, for clients. */
const REASONS: Readonly<Record<FleetAbsence, string>> = {
  joining: 'this node is joining its fleet: ask another one',
  cutOff: 'this node is cut off from its fleet: ask another one',
  held: 'the head of the fleet is about to change: ask again or ask another node',
  unsigned: 'the head of the fleet has not the signatures that this node needs: ask another one',
  draining: 'this node leaves its fleet: ask another one',
}

/** What holds whether there is a lease or not: a member that answers while it is cut off does not do so then. */
const WITHOUT_LEASE: readonly (FleetAbsence | null)[] = ['joining', 'unsigned', 'draining']

const NONE_RELEASED = -1

/** In an answer that found nothing. */
const NO_RESULT = Buffer.from(',"result":null}')

/**
 * Decides what a member of a fleet answers (fleet.md §2, fleet.md §3). Bodies wait while the head changes; while the
 * member is away, whatever depends on the head is answered with `fleetAway`. The deadline of the lease is looked at
 * when a request begins and when its answer is written.
 */
export class FleetGate {
  readonly holds = new HoldTimes()
  readonly #options: FleetGateOptions
  readonly #deadline: Float64Array
  readonly #clock: () => number
  readonly #answer: BodySink
  readonly #waiting: HeldBodies
  /** What the fleet thread told last. */
  #told: FleetAbsence | null = 'joining'
  #head: Buffer
  /** Revision for which nothing is begun; null for none. */
  #heldFor: number | null = null
  /** Of the last release: what a hold of an earlier revision is for is over. */
  #released = NONE_RELEASED
  /** Hash of the head that has to be known here before anything is begun; null for none. */
  #awaited: Buffer | null = null
  #isLate = false
  #heldSince = 0
  #timer: NodeJS.Timeout | null = null
  readonly #watch = new AppliedHeadWatch()

  /** @param answer where bodies go that may be answered */
  constructor(options: FleetGateOptions, held: HeldBytes, answer: BodySink) {
    this.#options = options
    this.#deadline = options.lease.deadline
    this.#clock = options.clock
    this.#head = options.head
    this.#answer = answer
    this.#waiting = new HeldBodies(held, answer)
    this.#waiting.open()
  }

  /** Why what depends on the head is not answered; null when it is, at once or after a hold. */
  get absence(): FleetAbsence | null {
    const isOver = !(this.#clock() < (this.#deadline[0] ?? 0))
    const told = this.#told
    if (isOver) return told !== null && WITHOUT_LEASE.includes(told) ? told : 'cutOff'
    return told ?? (this.#isLate ? 'held' : null)
  }

  /** Whether reads are answered at a head that the fleet may have left. */
  get isIsolated(): boolean {
    return this.#options.servesIsolated && this.absence === 'cutOff'
  }

  /** Bodies that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Whether this member ever had a lease. */
  get hasLease(): boolean {
    return this.#deadline[0] !== 0
  }

  /** Milliseconds until the lease ends; negative when it has. */
  get leaseLeft(): number {
    return (this.#deadline[0] ?? 0) - this.#clock()
  }

  /**
   * Takes a body: answers it, or has it wait.
   * @returns the error to answer with where there is no room for it to wait
   */
  enter(body: ArrayBuffer | Buffer, caller: Caller, exchange: Exchange): RpcError | null {
    const mustWait = this.#waiting.size > 0 || (this.#isHeld && this.absence === null)
    if (mustWait) return this.#waiting.add(body, caller, exchange)
    this.#answer(body, caller, exchange)
    return null
  }

  /**
   * Begins nothing more until a release of a later revision. One that was released already is left alone: calls and
   * events of a port overtake one another.
   */
  hold(revision: number): void {
    if (revision < this.#released) return
    this.#heldFor = revision
    this.#awaited = null
    this.#begin()
  }

  /** Takes what the fleet thread tells. */
  onEvent(event: FleetFrontEvent): void {
    if (event.kind === 'release') this.#release(event.revision, event.hash)
    else if (event.kind === 'membership') this.#changeMembership(event.absence, event.head)
    this.#watch.look()
  }

  /** The head that requests see from now on. */
  headChanged(hash: Buffer): void {
    this.#head = hash
    this.#watch.headChanged(hash)
    if (this.#awaited?.equals(hash) === true) {
      this.#awaited = null
      this.#settle()
    }
    this.#watch.look()
  }

  /** The head of the fleet that requests see; null before the first. */
  get applied(): AppliedHead | null {
    return this.#watch.applied
  }

  /**
   * Begins a call of another member as if it were a request: resolves once requests are begun here under the head of a
   * revision or a later one.
   * @throws RpcError `fleetAway` while this member is away, or when that takes longer than bodies are held
   */
  async begin(revision: number): Promise<void> {
    await this.#watch.until(
      () => {
        const { absence } = this
        if (absence !== null) throw awayError(absence)
        return !this.#isHeld && (this.#watch.applied?.revision ?? -1) >= revision
      },
      this.#options.hold,
      () => awayError('held'),
    )
  }

  /** Ends the wait of everything. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#isLate = true
    this.#waiting.open()
    this.#watch.look()
  }

  /**
   * Whether requests have to be looked at one by one: something of a body may not be answered.
   * @returns why what depends on the head is not begun; null when everything is
   */
  whyAway(): RpcError | null {
    const { absence } = this
    return absence === null ? null : awayError(absence)
  }

  /** Why a request is not begun while {@link whyAway} gives an error; null when it is. */
  refusalOf(definition: MethodDefinition, params: JsonText, away: RpcError): RpcError | null {
    if (definition.head === 'send') return away
    return !this.isIsolated && dependsOnHead(definition, params) ? away : null
  }

  /** Why an answer to a request must not be written; null when it may. */
  refusalAtWrite(definition: MethodDefinition, params: JsonText): RpcError | null {
    if (isDone(definition) || this.#clock() < (this.#deadline[0] ?? 0) || this.isIsolated) return null
    return dependsOnHead(definition, params) ? awayError(this.absence ?? 'cutOff') : null
  }

  /**
   * A sink that looks at the lease when the answer comes. A block that is not found by its hash may be known to others
   * while this member is away.
   * @param id JSON text of the request's id
   */
  watch(definition: MethodDefinition, params: JsonText, id: string, sink: AnswerSink): AnswerSink {
    if (definition.head === 'none' || isDone(definition)) return sink
    // The parameters lie in memory that the next body takes.
    const kept = typeof params === 'string' ? params : Buffer.from(params)
    return (body, status, block) => {
      const refusal = this.refusalAtWrite(definition, kept) ?? this.#notFound(body)
      if (refusal === null) {
        sink(body, status, block)
        return
      }
      const answer = errorAnswer(id, refusal)
      sink(answer.text, answer.status, block)
    }
  }

  get #isHeld(): boolean {
    return this.#heldFor !== null || this.#awaited !== null
  }

  #notFound(body: string | Uint8Array): RpcError | null {
    const { absence } = this
    if (absence === null || this.isIsolated) return null
    const end = typeof body === 'string' ? body.slice(-NO_RESULT.length) : body.subarray(-NO_RESULT.length)
    return NO_RESULT.equals(Buffer.from(end)) ? awayError(absence) : null
  }

  #release(revision: number, hash: Buffer): void {
    if (revision === EVERY_REVISION) {
      this.#released = NONE_RELEASED
      this.#watch.forget()
    } else {
      this.#released = Math.max(this.#released, revision)
      this.#watch.told(revision, hash, this.#head)
    }
    if (this.#heldFor !== null && revision <= this.#heldFor) return
    this.#heldFor = null
    this.#await(hash)
  }

  #changeMembership(absence: FleetAbsence | null, head: FleetHead | null): void {
    this.#told = absence
    // A fleet thread that begins may be on a log that counts anew.
    if (head === null) {
      this.#released = NONE_RELEASED
      this.#watch.forget()
    } else this.#watch.told(head.revision, head.hash, this.#head)
    // Nothing waits for a head while the member is away: it is refused.
    if (absence !== null) this.#openIfAway()
    else if (head !== null && this.#heldFor === null) this.#await(head.hash)
  }

  /** Goes on once the head is the one of a hash. */
  #await(hash: Buffer): void {
    if (this.#head.equals(hash)) {
      this.#awaited = null
      this.#settle()
      return
    }
    this.#awaited = hash
    this.#begin()
  }

  #begin(): void {
    this.#waiting.close()
    if (this.#timer !== null) return
    this.#heldSince = this.#clock()
    this.#timer = setTimeout(() => {
      this.#isLate = true
      this.#waiting.open()
      this.#watch.look()
    }, this.#options.hold)
    this.#openIfAway()
  }

  #settle(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer)
      this.#timer = null
      this.holds.add(this.#clock() - this.#heldSince, this.#isLate)
    }
    this.#isLate = false
    this.#waiting.open()
  }

  #openIfAway(): void {
    if (this.absence !== null) this.#waiting.open()
  }
}

/**
 * Whether what a request did stays done, whoever has the lease when its answer is written: what was sent is in the log,
 * and what a poll tells is told once. Its position was committed under the lease with which it began.
 */
function isDone({ head }: MethodDefinition): boolean {
  return head === 'send' || head === 'poll'
}

function awayError(absence: FleetAbsence): RpcError {
  return new RpcError('fleetAway', REASONS[absence])
}
