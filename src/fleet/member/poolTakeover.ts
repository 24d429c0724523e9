import { randomBytes } from 'node:crypto'
import { FleetError } from '../errors.ts'
import type { AdmissionState, FleetChainService, FleetHead, MemberId, PoolEntry } from '../interface.ts'
import type { MemberCalls } from '../nats/calls.ts'
import { decodeHead, encodeHead, MOST_HEAD_BYTES } from './headEntry.ts'
import { Fields, pack } from './messageFields.ts'

/** Name of the service (fleet.md §10). */
export const POOL_SERVICE = 'pool'
/** Bytes of a part of the answer. */
const PART_BYTES = 8 * 1024 * 1024
/** Most bytes of a pool with what belongs to it. */
const MOST_BYTES = 1024 * 1024 * 1024
const MOST_ENTRIES = 4_000_000
const CALL_TIME = 10_000
/** A pool that was asked for is kept for so long, milliseconds. */
const KEPT_TIME = 60_000
const TOKEN_BYTES = 8

/** A pool as of an entry of the log. */
export interface TakenPool {
  readonly sequence: number
  /** The head that it is relative to; null before the first. */
  readonly head: FleetHead | null
  readonly entries: readonly PoolEntry[]
  readonly state: AdmissionState
}

/** Gives joining members the pool, in parts: the same pool for all parts of one caller. */
export class PoolGiver {
  readonly #take: () => Promise<TakenPool>
  readonly #now: () => number
  #kept: { readonly token: string; readonly bytes: Buffer; readonly until: number } | null = null

  /** @param take the pool between two entries of the log */
  constructor(take: () => Promise<TakenPool>, now: () => number) {
    this.#take = take
    this.#now = now
  }

  /** @throws FleetError `Malformed` */
  async answer(payload: Uint8Array): Promise<Buffer> {
    const fields = Fields.unpack(payload, 64)
    const token = fields.text(2 * TOKEN_BYTES)
    const offset = fields.integer(MOST_BYTES)
    if (
      this.#kept === null ||
      this.#now() > this.#kept.until ||
      (token !== '' && token !== this.#kept.token)
    ) {
      if (token !== '') throw new FleetError('Failed', 'that pool is not kept any more')
      const bytes = encodePool(await this.#take())
      const until = this.#now() + KEPT_TIME
      this.#kept = { token: randomBytes(TOKEN_BYTES).toString('hex'), bytes, until }
      setTimeout(() => {
        if (this.#kept?.bytes === bytes) this.#kept = null
      }, KEPT_TIME).unref()
    } else if (token === '') {
      this.#kept = null
      return this.answer(payload)
    }
    const { bytes, token: current } = this.#kept
    return pack([current, bytes.length, bytes.subarray(offset, offset + PART_BYTES)])
  }
}

/** Fetches the pool of another member. @throws FleetError, CallRefusal */
export async function fetchPool(calls: Pick<MemberCalls, 'call'>, member: MemberId): Promise<TakenPool> {
  const parts: Buffer[] = []
  let token = ''
  let offset = 0
  for (;;) {
    const options = { milliseconds: CALL_TIME, limit: PART_BYTES + 1024 }
    const answer = await calls.call(member, POOL_SERVICE, pack([token, offset]), options)
    const fields = Fields.unpack(answer, PART_BYTES + 1024)
    token = fields.text(2 * TOKEN_BYTES)
    const total = fields.integer(MOST_BYTES)
    const part = fields.bytes(PART_BYTES)
    parts.push(part)
    offset += part.length
    if (offset >= total) return decodePool(Buffer.concat(parts))
    if (part.length === 0) throw new FleetError('Malformed', 'a pool ends before its end')
  }
}

/** The pool and what belongs to it, of one moment. */
export async function readPool(
  chain: Pick<FleetChainService, 'pool' | 'admissionState'>,
  sequence: number,
  head: FleetHead | null,
): Promise<TakenPool> {
  const [entries, state] = await Promise.all([chain.pool(), chain.admissionState()])
  return { sequence, head, entries, state }
}

function encodePool({ sequence, head, entries, state }: TakenPool): Buffer {
  return pack([
    sequence,
    head && [head.revision, encodeHead(head)],
    [state.pending, state.time, state.outcomes, state.quotas],
    entries.map(({ encoded, addedAtBlock, addedAt }) => [encoded, addedAtBlock, addedAt]),
  ])
}

function decodePool(bytes: Buffer): TakenPool {
  const fields = Fields.unpack(bytes, MOST_BYTES)
  const sequence = fields.integer()
  const head = fields.optional((from) => {
    const pair = from.fields()
    const revision = pair.integer()
    return decodeHead(pair.bytes(MOST_HEAD_BYTES), revision)
  })
  const admission = fields.fields()
  const state: AdmissionState = {
    pending: admission.integer(),
    time: admission.optional((from) => from.integer()),
    outcomes: admission.bytes(MOST_BYTES),
    quotas: admission.bytes(MOST_BYTES),
  }
  const entries = fields.list(MOST_ENTRIES, (item): PoolEntry => {
    const entry = item.fields()
    return { encoded: entry.bytes(MOST_BYTES), addedAtBlock: entry.integer(), addedAt: entry.integer() }
  })
  return { sequence, head, entries, state }
}
