import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { AccessStore } from '../../storage/access/accessStore.ts'
import { type DayCost, isLife } from '../../storage/access/lifeUsage.ts'
import { costOf, type DayUsage, exceedsUsage, mostOf } from '../../storage/access/usageRecord.ts'
import { everyAligned } from '../alignedTimer.ts'
import { delay } from '../delay.ts'
import type { MemberId } from '../member.ts'
import { BucketFollower } from '../nats/bucketFollower.ts'
import { compareAndSet, openBucket } from '../nats/buckets.ts'
import type { FleetPartContext } from '../part.ts'
import {
  decodeKnown,
  decodeRecord,
  decodeReport,
  encodeRecord,
  encodeReport,
  encodeRows,
  parseRecordName,
  recordName,
} from './counterCodec.ts'
import { BUCKET_DAYS, type FromFront, MIN_PACE_MILLISECONDS, type ToFront } from './messages.ts'
import { ReceivedCosts } from './receivedCosts.ts'

/** Service that answers with what a member knows of a life. */
const LIFE_SERVICE = 'life'
const ANSWER_TIME = 2000
/** Milliseconds after which use that is reported is late. */
const LATE = 1000
/** Members up to which use is reported at the least pace; each further one makes it slower, up to the slowest pace. */
const FAST_MEMBERS = 8
const PACE_PER_MEMBER = 5
const MAX_PACE_MILLISECONDS = 150
/** Milliseconds between two writes of the bucket, and bytes that it is given a second. */
const WRITE_PERIOD = 2000
const WRITE_RATE = 512 * 1024
/** Milliseconds that a stop may take for the last write. */
const STOP_TIME = 1000
/** Records that are on their way to the bucket at the same time. */
const WRITES_AT_ONCE = 16
/** Days of which sums of others are known. */
const SUM_DAYS = 2
const DAY = 86_400_000

/** The process that counts, as the front thread says. */
type Counting = Pick<Extract<FromFront, { kind: 'lives' }>, 'lives' | 'by' | 'isDecided'>

interface KeptRecord {
  /** 0 for one that has to be read again. */
  readonly revision: number
  readonly rows: ReadonlyMap<string, DayUsage>
}

interface UnwrittenRecord {
  readonly life: string
  readonly day: number
  /** Of keys. */
  readonly ids: Set<string>
}

/** Counters of use between members: reported to all, and kept in the bucket (fleet.md §7). */
export class CounterSync {
  readonly #context: FleetPartContext
  readonly #store: AccessStore
  readonly #notify: (message: ToFront) => void
  readonly #onFailure = (error: unknown) => this.#context.onFailure('counters', error)
  readonly #costs = new ReceivedCosts()
  readonly #endWriting: () => void
  /** Use that is to be reported, by day and key, and since when. */
  readonly #unreported = new Map<string, { readonly row: DayCost; readonly since: number }>()
  /** Records of lives of this store as the bucket has them. */
  readonly #kept = new Map<string, KeptRecord>()
  /** Rows that the bucket does not have yet, by the name of their record. */
  readonly #unwritten = new Map<string, UnwrittenRecord>()
  /** Last sequence of each process that reports. */
  readonly #sequences = new Map<string, number>()
  #counting: Counting | null = null
  #follower: BucketFollower | null = null
  #sequence = 0
  #pace = MIN_PACE_MILLISECONDS
  #isDeciding = false
  #isReportedElsewhere = false
  /** Earliest time of the next write to the bucket, milliseconds of the monotonic clock; infinite during one. */
  #writesAt = 0
  #sweptOn = 0

  constructor(context: FleetPartContext, store: AccessStore) {
    this.#context = context
    this.#store = store
    this.#notify = context.notifyFront
    context.subscribe(context.names.subject('counters'), (data) => this.#received(data))
    context.calls.serve(LIFE_SERVICE, async (payload) => this.#knownOf(payload.toString('latin1')))
    this.#endWriting = everyAligned(WRITE_PERIOD, () => void this.#write())
    this.#notify({ kind: 'begun' })
  }

  presentChanged(): void {
    this.#decide()
    const more = Math.max(0, this.#context.others().length + 1 - FAST_MEMBERS)
    const pace = Math.min(MAX_PACE_MILLISECONDS, MIN_PACE_MILLISECONDS + PACE_PER_MEMBER * more)
    if (pace === this.#pace) return
    this.#pace = pace
    this.#notify({ kind: 'pace', milliseconds: pace })
  }

  restart(): void {
    this.#follower?.restart()
    this.#reportUse()
  }

  /** Writes the last counts, if that is possible within a second: else the next process reports them. */
  async stop(): Promise<void> {
    this.#endWriting()
    const bucket = this.#bucket
    if (bucket !== null) {
      this.#lookForUnreported()
      await Promise.race([this.#writeTo(bucket), delay(STOP_TIME)]).catch(this.#onFailure)
    }
    this.#follower?.stop()
  }

  /** The bucket, while this process may write to it. */
  get #bucket(): KV | null {
    return this.#isReporting ? (this.#follower?.whole ?? null) : null
  }

  get #isReporting(): boolean {
    return this.#counting?.isDecided === true && this.#context.isConnected()
  }

  fromFront(message: FromFront): void {
    switch (message.kind) {
      case 'lives':
        this.#countUnder(message)
        return
      case 'used': {
        const since = performance.now()
        for (const row of message.rows) {
          const slot = `${row[1]} ${row[0]}`
          this.#unreported.set(slot, { row, since: this.#unreported.get(slot)?.since ?? since })
        }
        this.#reportUse()
        return
      }
      case 'written':
        if (this.#counting?.isDecided === true) this.#isUnwritten(this.#counting.lives.own, message.slots)
    }
  }

  #countUnder({ lives, by, isDecided }: Counting): void {
    const before = this.#counting
    this.#counting = { lives, by, isDecided }
    this.#follower ??= new BucketFollower({
      open: () => openBucket(this.#context.jetstream, this.#context.names.counters),
      onReplaced: () => this.#kept.clear(),
      onEntry: (entry) => this.#take(entry),
      onWhole: () => {
        this.#lookForUnreported()
        this.#decide()
      },
      onFailure: this.#onFailure,
    })
    if (!isDecided) {
      this.#receiveStored()
      this.#decide()
      return
    }
    if (before?.isDecided !== true || before.lives.own !== lives.own) {
      // What was reported under another life is reported again by the front thread.
      this.#unreported.clear()
      this.#unwritten.clear()
      this.#isReportedElsewhere = false
      if (lives.own !== lives.stored)
        this.#store.lives.raise(lives.stored, this.#keptOf(lives.stored)).catch(this.#onFailure)
      this.#lookForUnreported()
      // What was received of the life before, which another process has now, was not taken.
      if (before !== null && before.lives.own !== lives.own) this.#follower.restart()
    }
    this.#receiveStored()
  }

  /** Not all of what was counted before is in the bucket: a process ends while NATS is away, or the bucket was lost. */
  #lookForUnreported(): void {
    if (this.#counting?.isDecided !== true) return
    const { own, stored, past } = this.#counting.lives
    for (const life of new Set([own, stored, ...past])) {
      const isNews = (row: DayUsage) => {
        const kept = this.#kept.get(recordName(life, row))?.rows.get(row.id)
        return exceedsUsage(kept?.methods, row.methods)
      }
      this.#isUnwritten(life, this.#store.lives.rows(life, today() - BUCKET_DAYS).filter(isNews))
    }
  }

  #isUnwritten(life: string, slots: readonly Pick<DayUsage, 'id' | 'day'>[]): void {
    for (const { id, day } of slots) {
      const name = recordName(life, { id, day })
      const record = this.#unwritten.get(name) ?? { life, day, ids: new Set() }
      this.#unwritten.set(name, record)
      record.ids.add(id)
    }
  }

  /** Takes over the store's knowledge of others. */
  #receiveStored(): void {
    if (this.#counting === null) return
    const { stored } = this.#counting.lives
    const first = today() - SUM_DAYS
    const stands = this.#store.lives.rows(stored, first).map((row) => [stored, row] as const)
    this.#raise(
      [...this.#store.lives.others(first), ...stands].filter(([life]) => !this.#isOwn(life)),
      true,
    )
  }

  /** True when a life is not one of others; that of the store is not, until it is decided. */
  #isOwn(life: string): boolean {
    const { lives, isDecided } = this.#counting ?? {}
    return life === lives?.own || (isDecided === false && life === lives?.stored)
  }

  /** Takes what was received of the use by lives of others. */
  #raise(received: readonly (readonly [life: string, use: DayUsage | DayCost])[], isLate: boolean): void {
    const rows = received.flatMap(([life, use]): DayCost[] => {
      const row = 'id' in use ? ([use.id, use.day, costOf(use.methods)] as const) : use
      if (Math.abs(row[1] - today()) > SUM_DAYS) return []
      const total = this.#costs.raise(life, row)
      return total === null ? [] : [[row[0], row[1], total]]
    })
    if (rows.length > 0) this.#notify({ kind: 'received', rows, isLate })
  }

  #received(data: Buffer): void {
    const { life, by, zone, sequence, isLate, rows } = decodeReport(data)
    if (this.#counting === null || by === this.#counting.by || zone !== this.#context.zone) return
    if (this.#isOwn(life)) {
      if (this.#counting.isDecided) this.#leave()
      else this.#isReportedElsewhere = true
      return
    }
    const isNext = (this.#sequences.get(by) ?? 0) === sequence - 1
    this.#sequences.delete(by)
    this.#sequences.set(by, sequence)
    const [oldest] = this.#sequences.keys()
    if (this.#sequences.size > 1024 && oldest !== undefined) this.#sequences.delete(oldest)
    this.#raise(
      rows.map((row) => [life, row] as const),
      isLate || !isNext,
    )
  }

  #reportUse(): void {
    const { nats, names, zone } = this.#context
    if (this.#counting === null || !this.#isReporting || this.#unreported.size === 0) return
    const waiting = [...this.#unreported.values()]
    const isLate = waiting.some(({ since }) => performance.now() - since > LATE)
    this.#sequence += 1
    const { lives, by } = this.#counting
    const rows = waiting.map(({ row }) => row)
    const sequence = this.#sequence
    const { bytes, taken } = encodeReport({ life: lives.own, by, zone, sequence, isLate, rows })
    nats.publish(names.subject('counters'), bytes)
    for (const [id, day] of rows.slice(0, taken)) this.#unreported.delete(`${day} ${id}`)
    if (taken < rows.length) setTimeout(() => this.#reportUse(), this.#pace).unref()
  }

  #take({ key, operation, value, revision }: KvWatchEntry): void {
    const name = parseRecordName(key)
    const counting = this.#counting
    if (name === null || operation !== 'PUT' || counting === null) return
    try {
      const { by, zone, rows } = decodeRecord(value)
      if (zone !== this.#context.zone) return
      const { life } = name
      const isOwn = this.#isOwn(life)
      const known = this.#kept.get(key)
      const isNews = (known?.revision ?? 0) < revision
      const isForeign = isOwn && isNews && counting.isDecided && by !== counting.by
      if (isNews && (isOwn || life === counting.lives.stored || counting.lives.past.includes(life))) {
        const kept = isForeign ? known?.rows : new Map(rows.map((row) => [row.id, row]))
        this.#kept.set(key, { revision, rows: kept ?? new Map() })
      }
      if (!isOwn) {
        this.#store.lives.raise(life, rows).catch(this.#onFailure)
        this.#raise(
          rows.map((row) => [life, row] as const),
          true,
        )
      } else if (isForeign) {
        // A fleet thread that began anew does not know what this process wrote: the store has no less.
        const isMore = (row: DayUsage) =>
          exceedsUsage(known?.rows.get(row.id)?.methods ?? this.#store.lives.row(life, row), row.methods)
        if (rows.some(isMore)) this.#leave()
        else this.#isUnwritten(life, rows)
      }
    } catch {
      this.#context.count('skippedCounters')
    }
  }

  /** Another process counts under this life: what it has reported counts, and what this one has counted beyond. */
  #leave(): void {
    if (this.#counting === null) return
    this.#context.count('livesLeft')
    const { own } = this.#counting.lives
    const known = [...this.#unwritten].flatMap(([name, { life, day, ids }]) => {
      const kept = this.#kept.get(name)?.rows
      return life === own ? [...ids].map((id) => kept?.get(id) ?? { id, day, methods: new Map() }) : []
    })
    // Nothing is reported or written until the front thread has another one.
    this.#counting = { ...this.#counting, isDecided: false }
    this.#notify({ kind: 'leave', known })
  }

  #knownOf(life: string): Buffer {
    const isOwn = this.#isOwn(life)
    const rows = isOwn || !isLife(life) ? [] : this.#store.lives.rows(life, 0)
    return encodeRows({ isOwn, rows, reported: this.#costs.of(life) })
  }

  /** The rows of a life in the bucket. */
  #keptOf(life: string): DayUsage[] {
    return [...this.#kept].flatMap(([name, { rows }]) => (name.startsWith(life) ? [...rows.values()] : []))
  }

  /** Decides whether the life of the store goes on, once the bucket is read and others can be asked. */
  #decide(): void {
    const { calls, isConnected, others, count } = this.#context
    const counting = this.#counting
    if (counting === null || counting.isDecided || this.#isDeciding) return
    const { own, stored } = counting.lives
    if (!isConnected() || this.#follower?.whole == null || own === stored) return
    this.#isDeciding = true
    const ask = async (member: MemberId) =>
      decodeKnown(await calls.call(member, LIFE_SERVICE, Buffer.from(stored), ANSWER_TIME))
    Promise.all(others().map(ask))
      .then((answers) => {
        if (this.#isReportedElsewhere || answers.some(({ isOwn }) => isOwn))
          throw new Error('it is reported elsewhere')
        const rows = [...this.#keptOf(stored), ...answers.flatMap((answer) => answer.rows)]
        this.#notify({ kind: 'resume', rows, reported: answers.flatMap(({ reported }) => reported) })
      })
      .catch(() => {
        count('livesBegun')
        this.#notify({ kind: 'keep' })
      })
      .finally(() => {
        this.#isDeciding = false
      })
  }

  async #write(): Promise<void> {
    if (performance.now() < this.#writesAt) return
    this.#decide()
    this.#reportUse()
    const bucket = this.#bucket
    if (bucket === null) return
    let bytes = 0
    this.#writesAt = Number.POSITIVE_INFINITY
    try {
      bytes = await this.#writeTo(bucket)
      this.#sweep()
    } catch (error) {
      this.#onFailure(error)
    }
    this.#writesAt = performance.now() + Math.max(0, (1000 * bytes) / WRITE_RATE - WRITE_PERIOD)
  }

  async #writeTo(bucket: KV): Promise<number> {
    let bytes = 0
    const by = this.#counting?.by ?? ''
    const write = async ([name, { life, day, ids }]: [string, UnwrittenRecord]) => {
      const kept = this.#kept.get(name)
      const rows = new Map(kept?.rows)
      for (const id of ids) {
        const methods = mostOf(rows.get(id)?.methods ?? new Map(), this.#store.lives.row(life, { id, day }))
        rows.set(id, { id, day, methods })
      }
      this.#unwritten.delete(name)
      const value = encodeRecord({ by, zone: this.#context.zone, rows: [...rows.values()] })
      bytes += value.length
      let revision: number | null = null
      try {
        revision = await compareAndSet(bucket, name, value, kept?.revision ?? 0)
      } finally {
        if (revision === null)
          this.#isUnwritten(
            life,
            [...ids].map((id) => ({ id, day })),
          )
      }
      if (revision !== null) this.#kept.set(name, { revision, rows })
      else {
        // Somebody else wrote it, or this process did and had no answer: it is read again.
        if (kept !== undefined) this.#kept.set(name, { ...kept, revision: 0 })
        this.#follower?.restart()
      }
    }
    const waiting = [...this.#unwritten]
    for (let first = 0; first < waiting.length; first += WRITES_AT_ONCE)
      await Promise.all(waiting.slice(first, first + WRITES_AT_ONCE).map(write))
    return bytes
  }

  /** Forgets what is older than is needed, once a day. */
  #sweep(): void {
    const day = today()
    if (day === this.#sweptOn) return
    this.#costs.prune(day - SUM_DAYS)
    for (const name of this.#kept.keys())
      if ((parseRecordName(name)?.day ?? 0) < day - BUCKET_DAYS) this.#kept.delete(name)
    this.#sweptOn = day
  }
}

/** About which day it is, wherever: days of quotas begin up to one day before or after those of UTC. */
function today(): number {
  return Math.floor(Date.now() / DAY)
}
