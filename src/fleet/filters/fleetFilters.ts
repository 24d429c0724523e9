import { randomBytes } from 'node:crypto'
import type { FilterResult, NodeFilters } from '../../filters/filters.ts'
import type { MemoryUse } from '../../filters/memoryUse.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { MemberId } from '../member.ts'
import {
  decodeFilterCall,
  decodeFilterReply,
  encodeFilterCall,
  type FilterCall,
  memberOfFilter,
  requestOf,
} from './filterCall.ts'

/** Milliseconds for which the member that has a filter may take to answer. */
const ANSWERS_IN = 2000
/** Milliseconds for which the confirmation of its answer may take at least. */
const MIN_WAIT_MILLISECONDS = 100
/** Milliseconds without a message after which a member is not asked. */
const SILENT_AFTER = 2500
/** Milliseconds after which its filters are gone. */
const GONE_AFTER = 10_000
/** Forwarded polls that are kept, and bytes of their answers: the oldest go first. */
const MAX_FORWARDED = 10_000
const ANSWER_BYTES = 32 * 1024 * 1024
const POLL_BYTES = 8

export interface FleetFiltersParts {
  readonly self: MemberId
  /** Filters of this node. */
  readonly own: NodeFilters
  /** Asks a member. */
  call(member: MemberId, payload: Buffer, milliseconds: number): Promise<Uint8Array>
  /** Milliseconds since the last message of a member; since this process began for one that sent none. */
  silentFor(member: MemberId): number
  /** Answers a JSON-RPC request at this node, on behalf of other members. */
  ask(request: string): Promise<Uint8Array>
  /** The memory that such requests draw from: by it they are known. */
  readonly memory: MemoryUse
  /** The error for the client: that of another member by its code and message, or that it does not answer. */
  failure(code?: unknown, message?: unknown): Error
}

/** Code of the answer that there is no such filter. */
const NOT_FOUND = -32000

/** The last poll of a filter that came from another member, until that one has its answer. */
interface ForwardedPoll {
  readonly poll: string
  /** For who asks the same again; null once there was no room for it. */
  answer: Promise<Uint8Array> | null
  /** Of the answer, once it is there. */
  bytes: number
  /** Has the next poll give the same again. */
  undo: () => void
}

/** Filters of all members: a filter lives where it was made, and others forward what is asked of it (fleet.md §8). */
export class FleetFilters implements NodeFilters {
  readonly #parts: FleetFiltersParts
  readonly #forwarded = new Map<string, ForwardedPoll>()
  #bytes = 0

  constructor(parts: FleetFiltersParts) {
    this.#parts = parts
  }

  readonly installLogs: NodeFilters['installLogs'] = (...request) => this.#parts.own.installLogs(...request)
  readonly installBlocks: NodeFilters['installBlocks'] = (memory) => this.#parts.own.installBlocks(memory)
  readonly installPending: NodeFilters['installPending'] = (memory) => this.#parts.own.installPending(memory)
  readonly headChanged: NodeFilters['headChanged'] = (notice) => this.#parts.own.headChanged(notice)
  readonly pendingAdded: NodeFilters['pendingAdded'] = (notices) => this.#parts.own.pendingAdded(notices)

  get size(): number {
    return this.#parts.own.size
  }

  uninstall(handle: string, memory?: MemoryUse | null) {
    const owner = this.#ownerOf(handle, memory)
    if (owner === null) return this.#parts.own.uninstall(handle)
    return this.#ask(owner, { what: 'eth_uninstallFilter', id: handle, poll: '' }).then(
      (reply) => reply?.toString() === 'true',
    )
  }

  poll(handle: string, memory?: MemoryUse | null) {
    const owner = this.#ownerOf(handle, memory)
    if (owner !== null) return this.#pollElsewhere(owner, handle, memory)
    // Nobody had the answer to the last poll: this one gives the same, and what came since.
    const last = this.#forwarded.get(handle)
    last?.undo()
    const changes = this.#parts.own.poll(handle, memory)
    if (memory !== this.#parts.memory) this.#forget(handle)
    else if (last !== undefined)
      return whenThere(changes, (there) => {
        last.undo = there !== null && there.kind !== 'result' ? there.undo : () => undefined
        return there
      })
    return changes
  }

  content(handle: string, memory?: MemoryUse | null) {
    const owner = this.#ownerOf(handle, memory)
    if (owner === null) return this.#parts.own.content(handle, memory)
    return this.#ask(owner, { what: 'eth_getFilterLogs', id: handle, poll: '' }).then((reply) =>
      resultOf(reply, memory),
    )
  }

  /** Answers a call of another member. @throws FleetError `Malformed` */
  async answer(payload: Uint8Array): Promise<Uint8Array> {
    const call = decodeFilterCall(asBuffer(payload))
    if (call.what === 'eth_getFilterChanges') return this.#answerPoll(call.id, call.poll, requestOf(call))
    if (call.what !== 'delivered') return this.#parts.ask(requestOf(call))
    if (this.#forwarded.get(call.id)?.poll === call.poll) this.#forget(call.id)
    return Buffer.alloc(0)
  }

  async #answerPoll(id: string, poll: string, request: string): Promise<Uint8Array> {
    const last = this.#forwarded.get(id)
    if (last?.poll === poll && last.answer !== null) return last.answer
    this.#forget(id)
    const kept: ForwardedPoll = { poll, answer: null, bytes: 0, undo: last?.undo ?? (() => undefined) }
    this.#forwarded.set(id, kept)
    kept.answer = this.#parts.ask(request)
    const answer = await kept.answer
    if (this.#forwarded.get(id) === kept) {
      kept.bytes = answer.length
      this.#bytes += answer.length
    }
    for (const [oldest, { bytes }] of this.#forwarded) {
      if (this.#forwarded.size > MAX_FORWARDED) this.#forget(oldest)
      else if (this.#bytes <= ANSWER_BYTES) break
      else if (bytes > 0) this.#drop(oldest)
    }
    return answer
  }

  /** Keeps that it was polled, and not what the answer was. */
  #drop(id: string): void {
    const forwarded = this.#forwarded.get(id)
    if (forwarded === undefined) return
    this.#bytes -= forwarded.bytes
    Object.assign(forwarded, { answer: null, bytes: 0 })
  }

  #forget(id: string): void {
    this.#drop(id)
    this.#forwarded.delete(id)
  }

  async #pollElsewhere(
    owner: MemberId,
    id: string,
    memory: MemoryUse | null | undefined,
  ): Promise<FilterResult | null> {
    const began = performance.now()
    const poll = randomBytes(POLL_BYTES).toString('hex')
    const changes = resultOf(await this.#ask(owner, { what: 'eth_getFilterChanges', id, poll }), memory)
    if (changes === null) return null
    // The client may poll at any member next, and is not to get the same. What is lost on the way is given again.
    const left = Math.max(MIN_WAIT_MILLISECONDS, ANSWERS_IN - (performance.now() - began))
    await this.#parts
      .call(owner, encodeFilterCall({ what: 'delivered', id, poll }), left)
      .catch(() => undefined)
    return changes
  }

  /** The member to be asked for a filter; null for this one. What another one forwarded is not forwarded again. */
  #ownerOf(handle: string, memory: MemoryUse | null | undefined): MemberId | null {
    const member = memberOfFilter(handle)
    return member === this.#parts.self || memory === this.#parts.memory ? null : member
  }

  /**
   * What a member answers; null when it has no such filter, or was away for so long.
   * @throws what {@link FleetFiltersParts.failure} makes
   */
  async #ask(owner: MemberId, call: FilterCall): Promise<Buffer | null> {
    const silent = this.#parts.silentFor(owner)
    if (silent > GONE_AFTER) return null
    if (silent > SILENT_AFTER) throw this.#parts.failure()
    const answer = await this.#parts.call(owner, encodeFilterCall(call), ANSWERS_IN).catch(() => null)
    if (answer === null) throw this.#parts.failure()
    const { result, code, message } = decodeFilterReply(answer)
    if (result !== undefined) return result
    if (code === NOT_FOUND) return null
    throw this.#parts.failure(code, message)
  }
}

/** @throws the error for a client whose memory cannot hold an answer */
function resultOf(result: Buffer | null, memory: MemoryUse | null | undefined): FilterResult | null {
  if (result === null) return null
  memory?.draw(result.length)
  memory?.release(result.length)
  return { kind: 'result', result }
}

function whenThere<T>(value: T | Promise<T>, next: (value: T) => T): T | Promise<T> {
  return value instanceof Promise ? value.then(next) : next(value)
}
