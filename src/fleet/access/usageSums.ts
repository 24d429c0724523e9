import type { AccessStore } from '../../storage/access/accessStore.ts'
import type { SumHead, SumRow } from '../../storage/access/sumCopy.ts'
import { type DayUsage, decodeMethods, encodeMethods } from '../../storage/access/usageRecord.ts'
import { CallRefusal, FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { pack, unpack } from '../nats/packed.ts'
import type { FleetCallsPort } from '../part.ts'
import { USAGE_SERVICE } from './services.ts'

/** Bytes of rows in one answer. */
const PAGE_BYTES = 512 * 1024

/** Most bytes of an answer: a page with what frames it, or the sequences of all members. */
const ANSWER_BYTES = 8 * 1024 * 1024

/** Most bytes of a question. */
const QUESTION_BYTES = 8192

/** Milliseconds for one answer. */
const ANSWER_TIME = 10_000

/** Milliseconds for which a sum is held for a member that does not ask for its next page. */
const HOLD_TIME = 30_000

/** Most days, and keys, of one question for usage. */
const MOST_DAYS = 10_000

/** Answers members and commands what the usage of the fleet is. */
export class UsageSums {
  readonly #store: AccessStore
  readonly #now: () => number
  readonly #settle: () => Promise<void>
  #session = 0
  #heldUntil = 0

  /**
   * @param now milliseconds of the boot clock
   * @param settle brings the sum up to what any member may have told (`usageSettling.ts`)
   */
  constructor(store: AccessStore, now: () => number, settle: () => Promise<void>) {
    this.#store = store
    this.#now = now
    this.#settle = settle
  }

  /** @throws CallRefusal */
  async answer(question: Buffer): Promise<Buffer> {
    const asked = unpack(question, QUESTION_BYTES)
    if (!Array.isArray(asked)) throw new CallRefusal('invalidParams', 'a question about usage is a list')
    const [what, first, second, third] = asked as readonly unknown[]
    switch (what) {
      case 'hold':
        return pack(this.#hold())
      case 'page':
        return pack(this.#page(first, second))
      case 'settle':
        await this.#settle()
        return pack(null)
      case 'days':
        return pack(this.#days(first, second, third))
      default:
        throw new CallRefusal('invalidParams', 'no such question about usage')
    }
  }

  /** Lets go of what is held for nobody any more. */
  sweep(): void {
    if (this.#heldUntil === 0 || this.#now() < this.#heldUntil) return
    this.#heldUntil = 0
    this.#store.fleetUsage.openCopy().release()
  }

  #hold(): unknown {
    this.sweep()
    if (this.#heldUntil > 0) throw new CallRefusal('busy', 'another member is given the usage now')
    const head = this.#store.fleetUsage.openCopy().hold()
    if (head === null) throw new CallRefusal('busy', 'this member has no usage yet')
    this.#session += 1
    this.#heldUntil = this.#now() + HOLD_TIME
    return [this.#session, head.stream, head.position, head.storedAt, head.applied]
  }

  #page(session: unknown, after: unknown): unknown {
    if (session !== this.#session || this.#heldUntil === 0) {
      throw new CallRefusal('busy', 'the usage is not held any more: begin again')
    }
    if (after !== null && !(after instanceof Uint8Array)) {
      throw new CallRefusal('invalidParams', 'the key of the last row expected')
    }
    const copy = this.#store.fleetUsage.openCopy()
    const { rows, next } = copy.page(after === null ? null : Buffer.from(after), PAGE_BYTES)
    this.#heldUntil = this.#now() + HOLD_TIME
    if (next === null) {
      this.#heldUntil = 0
      copy.release()
    }
    return [rows, next]
  }

  /** Usage of one key, or ids of all with usage. */
  #days(id: unknown, first: unknown, last: unknown): unknown {
    if (id === null) return this.#store.usedIds()
    const isDay = (day: unknown): day is number => Number.isSafeInteger(day) && (day as number) >= 0
    if (typeof id !== 'string' || !isDay(first) || !isDay(last) || last - first > MOST_DAYS) {
      throw new CallRefusal('invalidParams', 'an id and two days expected')
    }
    return this.#store.summedUsage(id, first, last).map(({ day, methods }) => [day, encodeMethods(methods)])
  }
}

/** Where sums are asked for. */
export interface SumSource {
  readonly calls: Pick<FleetCallsPort, 'call'>
  readonly member: MemberId
}

/**
 * Gets the sum of another member in place of that of this one.
 * @param least position of the stream that the sum must have at least
 * @returns false when that member has less, or has nothing to give now
 * @throws FleetError, CallRefusal
 */
export async function takeOverSum(
  store: AccessStore,
  source: SumSource,
  stream: string,
  least: number,
): Promise<boolean> {
  const [session, head] = readHead(await ask(source, ['hold']))
  if (head.stream !== stream || head.position < least) return false
  const copy = store.fleetUsage.openCopy()
  await copy.begin()
  for (let after: Buffer | null = null; ; ) {
    const [rows, next] = readPage(await ask(source, ['page', session, after]))
    await copy.keep(rows)
    if (next === null) break
    if (after !== null && Buffer.compare(next, after) <= 0) throw malformed()
    after = next
  }
  return store.fleetUsage.takeOver(head)
}

/** The question that has a member bring its sum up to what any member may have told before. */
export const SETTLE_QUESTION: Buffer = pack(['settle'])

/** Asks it. @throws FleetError, CallRefusal when the member is behind */
export async function settleUsage({ calls, member }: SumSource): Promise<void> {
  await calls.call(member, {
    service: USAGE_SERVICE,
    payload: SETTLE_QUESTION,
    milliseconds: ANSWER_TIME,
    mostBytes: ANSWER_BYTES,
  })
}

/** Ids with usage, as a member knows them. @throws FleetError, CallRefusal */
export async function askUsedIds(source: SumSource): Promise<string[]> {
  const ids = await ask(source, ['days', null])
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw malformed()
  return ids
}

/** Usage of a key in the fleet, of the sum of a member. @throws FleetError, CallRefusal */
export async function askUsage(
  source: SumSource,
  id: string,
  first: number,
  last: number,
): Promise<DayUsage[]> {
  const rows = await ask(source, ['days', id, first, last])
  if (!Array.isArray(rows)) throw malformed()
  return (rows as readonly unknown[]).map((row) => {
    const [day, fields] = Array.isArray(row) ? (row as readonly unknown[]) : []
    const methods = decodeMethods(fields)
    if (!Number.isSafeInteger(day) || methods === null) throw malformed()
    return { id, day: day as number, methods }
  })
}

async function ask({ calls, member }: SumSource, question: readonly unknown[]): Promise<unknown> {
  const call = {
    service: USAGE_SERVICE,
    payload: pack(question),
    milliseconds: ANSWER_TIME,
    mostBytes: ANSWER_BYTES,
  }
  return unpack(await calls.call(member, call), ANSWER_BYTES)
}

function readHead(value: unknown): [session: number, head: SumHead] {
  if (!Array.isArray(value)) throw malformed()
  const [session, stream, position, storedAt, applied] = value as readonly unknown[]
  if (typeof session !== 'number' || typeof stream !== 'string' || typeof storedAt !== 'string')
    throw malformed()
  if (!isSequence(position) || !Array.isArray(applied)) throw malformed()
  const pairs = (applied as readonly unknown[]).map((pair) => {
    const [writer, sequence] = Array.isArray(pair) ? (pair as readonly unknown[]) : []
    if (typeof writer !== 'string' || !WRITER.test(writer) || !isSequence(sequence)) throw malformed()
    return [writer, sequence] as const
  })
  return [session, { stream, position, storedAt, applied: pairs }]
}

function readPage(value: unknown): [rows: SumRow[], next: Buffer | null] {
  const [rows, next] = Array.isArray(value) ? (value as readonly unknown[]) : []
  if (!Array.isArray(rows) || (next !== null && !(next instanceof Uint8Array))) throw malformed()
  const decoded = (rows as readonly unknown[]).map((row): SumRow => {
    const [key, bytes] = Array.isArray(row) ? (row as readonly unknown[]) : []
    if (!(key instanceof Uint8Array) || !(bytes instanceof Uint8Array)) throw malformed()
    return [Buffer.from(key), Buffer.from(bytes)]
  })
  return [decoded, next === null ? null : Buffer.from(next)]
}

/** Id of a member and an epoch. */
const WRITER = /^[0-9a-f]{32}$/

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function malformed(): FleetError {
  return new FleetError('Malformed', 'an answer about usage does not parse')
}
