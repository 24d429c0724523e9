import { randomBytes } from 'node:crypto'
import { asBuffer } from '../../util/bytes.ts'
import type { AccessTable, AccessTables } from './accessTables.ts'
import { AccessError } from './errors.ts'
import { type FleetMark, readFleetMark, writeFleetMark } from './fleetMark.ts'
import { SumCopy, type SumHead } from './sumCopy.ts'
import { DELTA_BYTES, decodeDelta, encodeDelta, rowBytes, type UsageDelta } from './usageDelta.ts'
import {
  addUsage,
  type DayUsage,
  decodeUsage,
  encodeUsage,
  type MethodUsage,
  parseUsageKey,
  subtractUsage,
  usageKey,
} from './usageRecord.ts'

const SEQUENCE_BYTES = 6
const EPOCH_BYTES = 8

/** Room that a delta has for rows, bytes: the rest is its frame. */
const ROWS_BYTES = DELTA_BYTES - 1024

/** Deltas that have a sequence and are not in the sum yet. More is counted meanwhile, but not cut into deltas. */
const MOST_UNDER_WAY = 32

/** Deltas of this member that are kept after they came back, for a stream that loses its end: at most 4 MiB. */
const KEPT_DELTAS = 32

/** Pairs of member and epoch whose last sequence is kept. */
const MOST_WRITERS = 65_536

/** A delta that is in the outbox. */
export interface OutboxDelta {
  readonly epoch: string
  readonly sequence: number
  readonly payload: Buffer
}

/** Where a delta stands in the stream. */
export interface StreamPlace {
  /** Identity of the stream: when it was made. */
  readonly stream: string
  readonly position: number
  /** When the stream stored it, as the stream says. */
  readonly storedAt: string
}

/** What became of deltas of the stream. */
export interface Consumed {
  readonly added: number
  /** That were in the sum already. */
  readonly doubles: number
  /** Deltas that were left out, because one before them is missing. */
  readonly missing: readonly DeltaName[]
}

/** Which delta. */
export type DeltaName = Pick<UsageDelta, 'member' | 'epoch' | 'sequence'>

/**
 * Usage of a member of a fleet: what it counts goes to an outbox, and comes back over the stream like that of every
 * other member. `usage` is the sum of the stream up to a position, the same on every member at that position; what
 * this member counted and the sum does not have is in `own`. Each step is one transaction (fleet.md §7).
 */
export class FleetUsage {
  readonly #tables: AccessTables
  readonly #copy: SumCopy
  #writing: Promise<unknown> = Promise.resolve()

  constructor(tables: AccessTables) {
    this.#tables = tables
    this.#copy = new SumCopy(tables)
  }

  /** What the store knows of its fleet, as on disk; null for a store that never belonged to one. */
  mark(): FleetMark | null {
    this.#tables.root.resetReadTxn()
    return readFleetMark(this.#tables.metadata)
  }

  /**
   * Makes the store one of a member of a fleet. What was counted before counts for the fleet. A store that was copied
   * from another member keeps the sum, and leaves to that member what it had not published.
   * @throws AccessError `ACCESS_OTHER_FLEET`
   */
  join(fleet: string, member: string): Promise<FleetMark> {
    return this.#transaction(() => {
      const known = readFleetMark(this.#tables.metadata)
      if (known !== null && known.fleet !== fleet) {
        throw new AccessError(
          'ACCESS_OTHER_FLEET',
          `the access store holds the usage of the fleet ${known.fleet}: give this node another data directory, ` +
            'or move the folder access away',
        )
      }
      if (known?.member === member) return known
      if (known === null) this.#moveCounted()
      else this.#dropOwn()
      const start = { stream: '', position: 0, storedAt: '' }
      const mark = { ...start, ...known, fleet, member, epoch: newEpoch(), sealed: 0 }
      writeFleetMark(this.#tables.metadata, mark)
      return mark
    })
  }

  /** Adds to what this member counted; resolves when it is on disk. */
  add(rows: readonly DayUsage[]): Promise<void> {
    return this.#transaction(() => {
      const { own, unsent } = this.#tables.fleet
      for (const table of [own, unsent]) this.#addRows(table, rows)
    })
  }

  /** Usage that the sum does not have yet, of one key from one day to another. */
  own(id: string, first: number, last: number): DayUsage[] {
    return readRows(this.#tables.fleet.own, usageKey(id, first), usageKey(id, last + 1))
  }

  /** Gives what was counted sequences, as far as there is room. @returns whether there is more */
  seal(): Promise<boolean> {
    return this.#transaction(() => {
      const { metadata, fleet } = this.#tables
      const mark = readFleetMark(metadata)
      if (mark === null || this.#underWay(mark) >= MOST_UNDER_WAY) return false
      const taken: Buffer[] = []
      const rows: DayUsage[] = []
      let bytes = 0
      for (const { key, value } of fleet.unsent.getRange({})) {
        const place = Buffer.from(asBuffer(key))
        bytes += rowBytes(place, asBuffer(value))
        if (bytes > ROWS_BYTES && rows.length > 0) break
        taken.push(place)
        const at = parseUsageKey(place)
        rows.push({ ...at, methods: decodeUsage(asBuffer(value), at) })
      }
      if (rows.length === 0) return false
      const { member, epoch } = mark
      const sequence = mark.sealed + 1
      fleet.outbox.putSync(sequenceKey(sequence), encodeDelta({ member, epoch, sequence, rows }))
      for (const key of taken) fleet.unsent.removeSync(key)
      writeFleetMark(metadata, { ...mark, sealed: sequence })
      return [...fleet.unsent.getKeys({ limit: 1 })].length > 0
    })
  }

  /** Whether something was counted that has no sequence yet. */
  hasUnsent(): boolean {
    this.#tables.root.resetReadTxn()
    return [...this.#tables.fleet.unsent.getKeys({ limit: 1 })].length > 0
  }

  /** Deltas of the outbox from a sequence on, in order. */
  outbox(from: number): OutboxDelta[] {
    this.#tables.root.resetReadTxn()
    return [...this.#tables.fleet.outbox.getRange({ start: sequenceKey(from) })].map(({ value }) => {
      const payload = Buffer.from(asBuffer(value))
      const { epoch, sequence } = decodeDelta(payload)
      return { epoch, sequence, payload }
    })
  }

  /** Last sequence of a member and epoch in the sum; 0 for none. */
  lastOf({ member, epoch }: Pick<DeltaName, 'member' | 'epoch'>): number {
    this.#tables.root.resetReadTxn()
    return this.#applied(member, epoch) ?? 0
  }

  /**
   * The stream has deltas of this member and epoch that this store never made: it is an older copy. What it holds
   * unpublished is in the stream already; from now on it counts under an epoch of its own.
   */
  renewEpoch(): Promise<void> {
    return this.#transaction(() => {
      const mark = this.#assertJoined()
      this.#dropOwn()
      writeFleetMark(this.#tables.metadata, { ...mark, epoch: newEpoch(), sealed: 0 })
    })
  }

  /**
   * Adds deltas of the stream to the sum, each once, and records how far the stream was read; not where one is missing,
   * so that the sum has all that comes before the place that is recorded.
   * @param skipsMissing whether what is missing before a delta is given up
   */
  consume(
    deltas: readonly UsageDelta[],
    place: StreamPlace,
    { skipsMissing = false } = {},
  ): Promise<Consumed> {
    return this.#transaction(() => {
      const mark = this.#assertJoined()
      const { metadata, usage, fleet } = this.#tables
      const missing: DeltaName[] = []
      let added = 0
      let doubles = 0
      for (const delta of deltas) {
        const last = this.#applied(delta.member, delta.epoch)
        if (last !== null && delta.sequence <= last) {
          doubles += 1
        } else if (last !== null && delta.sequence > last + 1 && !skipsMissing) {
          missing.push(delta)
        } else if (last === null && fleet.applied.getCount() >= MOST_WRITERS) {
          missing.push(delta)
        } else {
          this.#addRows(usage, delta.rows)
          fleet.applied.putSync(writerKey(delta.member, delta.epoch), sequenceKey(delta.sequence))
          if (delta.member === mark.member) this.#cameBack(delta.epoch, delta.sequence)
          added += 1
        }
      }
      if (missing.length === 0 || skipsMissing) writeFleetMark(metadata, { ...mark, ...place })
      return { added, doubles, missing: missing.map(nameOf) }
    })
  }

  /** Reads the stream again from a position on: it is another one, or lost its end. */
  rewind(place: StreamPlace): Promise<void> {
    return this.#transaction(() => {
      writeFleetMark(this.#tables.metadata, { ...this.#assertJoined(), ...place })
    })
  }

  /** Opens the sum for another member that missed a part of the stream. */
  openCopy(): SumCopy {
    return this.#copy
  }

  /**
   * Takes the sum of another member, whose rows were given to {@link SumCopy.keep}, in place of the own one.
   * @returns false when that sum lacks what the own one has; nothing is changed then
   */
  takeOver({ applied, ...place }: SumHead): Promise<boolean> {
    return this.#transaction(() => {
      const mark = this.#assertJoined()
      const theirs = new Map(applied)
      for (const { key, value } of this.#tables.fleet.applied.getRange({})) {
        const last = theirs.get(asBuffer(key).toString('latin1')) ?? 0
        if (last < asBuffer(value).readUIntBE(0, SEQUENCE_BYTES)) return false
      }
      const before = this.#applied(mark.member, mark.epoch) ?? 0
      this.#copy.replaceSum()
      this.#tables.fleet.applied.clearSync()
      for (const [writer, sequence] of applied) {
        this.#tables.fleet.applied.putSync(Buffer.from(writer, 'latin1'), sequenceKey(sequence))
      }
      const after = this.#applied(mark.member, mark.epoch) ?? 0
      for (let sequence = before + 1; sequence <= after; sequence += 1) this.#cameBack(mark.epoch, sequence)
      writeFleetMark(this.#tables.metadata, { ...mark, ...place })
      return true
    })
  }

  /** Ids with usage that the sum does not have yet. */
  ownIds(): string[] {
    const ids = [...this.#tables.fleet.own.getKeys({})].map((key) => parseUsageKey(asBuffer(key)).id)
    return [...new Set(ids)]
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    this.#copy.release()
  }

  /** A delta of this member is in the sum: it is no more of its own. */
  #cameBack(epoch: string, sequence: number): void {
    const { own, outbox } = this.#tables.fleet
    const bytes = outbox.get(sequenceKey(sequence))
    if (bytes === undefined) return
    const delta = decodeDelta(asBuffer(bytes))
    if (delta.epoch !== epoch) return
    for (const { id, day, methods } of delta.rows) {
      const key = usageKey(id, day)
      const left = new Map(this.#rowOf(own, id, day))
      for (const [method, usage] of methods) {
        const known = left.get(method)
        const rest = known === undefined ? null : subtractUsage(known, usage)
        if (rest === null) left.delete(method)
        else left.set(method, rest)
      }
      if (left.size === 0) own.removeSync(key)
      else own.putSync(key, encodeUsage(left))
    }
    if (sequence > KEPT_DELTAS) outbox.removeSync(sequenceKey(sequence - KEPT_DELTAS))
  }

  #underWay({ member, epoch, sealed }: FleetMark): number {
    return sealed - (this.#applied(member, epoch) ?? 0)
  }

  /** What a node counted before it belonged to a fleet becomes part of what it publishes. */
  #moveCounted(): void {
    const { usage, fleet } = this.#tables
    for (const { key, value } of [...usage.getRange({})].map(copyEntry)) {
      fleet.own.putSync(key, value)
      fleet.unsent.putSync(key, value)
      usage.removeSync(key)
    }
  }

  #dropOwn(): void {
    const { own, unsent, outbox } = this.#tables.fleet
    for (const table of [own, unsent, outbox]) table.clearSync()
  }

  #addRows(table: AccessTable, rows: readonly DayUsage[]): void {
    for (const { id, day, methods } of rows) {
      const sum = new Map(this.#rowOf(table, id, day))
      for (const [method, usage] of methods) sum.set(method, addUsage(sum.get(method), usage))
      table.putSync(usageKey(id, day), encodeUsage(sum))
    }
  }

  #rowOf(table: AccessTable, id: string, day: number): ReadonlyMap<string, MethodUsage> {
    const bytes = table.get(usageKey(id, day))
    return bytes === undefined ? new Map() : decodeUsage(asBuffer(bytes), { id, day })
  }

  #applied(member: string, epoch: string): number | null {
    const bytes = this.#tables.fleet.applied.get(writerKey(member, epoch))
    return bytes === undefined ? null : asBuffer(bytes).readUIntBE(0, SEQUENCE_BYTES)
  }

  #assertJoined(): FleetMark {
    const mark = readFleetMark(this.#tables.metadata)
    if (mark === null) throw new AccessError('ACCESS_OTHER_FLEET', 'the access store belongs to no fleet')
    return mark
  }

  /** One transaction, which a failure of the action undoes; resolves when it is on disk. */
  #transaction<T>(action: () => T): Promise<T> {
    const done = this.#writing
      .catch(() => undefined)
      .then(() => this.#tables.root.childTransaction(action) as Promise<T>)
    this.#writing = done
    return done
  }
}

/** Rows of a table of usage from one key to another, the latter excluded. */
export function readRows(table: AccessTable, start: Buffer, end: Buffer): DayUsage[] {
  return [...table.getRange({ start, end })].map(({ key, value }) => {
    const place = parseUsageKey(asBuffer(key))
    return { ...place, methods: decodeUsage(asBuffer(value), place) }
  })
}

function copyEntry({ key, value }: { key: Buffer; value: Buffer }): { key: Buffer; value: Buffer } {
  return { key: Buffer.from(asBuffer(key)), value: Buffer.from(asBuffer(value)) }
}

function nameOf({ member, epoch, sequence }: DeltaName): DeltaName {
  return { member, epoch, sequence }
}

function newEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex')
}

function sequenceKey(sequence: number): Buffer {
  const key = Buffer.alloc(SEQUENCE_BYTES)
  key.writeUIntBE(sequence, 0, SEQUENCE_BYTES)
  return key
}

function writerKey(member: string, epoch: string): Buffer {
  return Buffer.from(member + epoch, 'latin1')
}
