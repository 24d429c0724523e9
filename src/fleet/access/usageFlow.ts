import type {
  ConsumerMessages,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
  StreamInfo,
} from '@nats-io/jetstream'
import { DeliverPolicy } from '@nats-io/jetstream'
import { AccessError } from '../../storage/access/errors.ts'
import type { DeltaName, FleetUsage, StreamPlace } from '../../storage/access/fleetUsage.ts'
import { decodeDelta, type UsageDelta } from '../../storage/access/usageDelta.ts'
import { FleetError, isConflict } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { endWhenSilent, HEARTBEAT } from '../nats/readStream.ts'
import { UsagePublisher } from './usagePublisher.ts'

/** Milliseconds between two looks at what was counted. */
const PUBLISH_PERIOD = 1000

/** Milliseconds for which deltas are gathered before they go to disk in one transaction. */
const GATHER = 50

/** Deltas and bytes of them in one transaction, and at most as much more on the way. */
const BATCH = 64
const BATCH_BYTES = 8 * 1024 * 1024

/** Milliseconds before a step that failed is tried again. */
const RETRY = 1000

const DUPLICATE_TOLERANCE = 1

/** What usage flows through. */
export interface UsageFlowOptions {
  readonly store: FleetUsage
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly stream: string
  /** Subject of a member. */
  readonly subjectOf: (member: MemberId) => string
  readonly self: MemberId
  /** Gets the sum of another member, which is to be at this position of the stream at least; whether it did. */
  readonly takeOver: (stream: string, leastPosition: number, first: readonly MemberId[]) => Promise<boolean>
  readonly onFailure: (error: unknown) => void
  readonly count: (name: string, by?: number) => void
}

/**
 * Publishes what this member counted and adds what all members counted, each delta once (fleet.md §7). Whatever the
 * stream lost is published again by those who counted it, and what this member missed comes from the sum of another.
 */
export class UsageFlow {
  readonly #options: UsageFlowOptions
  readonly #publisher: UsagePublisher
  #isStopped = false
  #messages: ConsumerMessages | null = null
  #skipsMissing = false
  /** Tries to get what is missing of other members. */
  #attempts = 0
  #wake: (() => void) | null = null
  /** Grows with every reconnection: what was asked over the connection before may never be answered. */
  #generation = 0
  #interrupt: (() => void) | null = null
  #running: Promise<unknown> = Promise.resolve()
  #adding: Promise<void> = Promise.resolve()

  constructor(options: UsageFlowOptions) {
    this.#options = options
    this.#publisher = new UsagePublisher({ ...options, onDoubt: () => this.reconnected() })
  }

  start(): void {
    this.#running = Promise.all([this.#publishPeriodically(), this.#consuming()])
  }

  /** The connection was lost: the stream may be another one, or have lost its end. */
  reconnected(): void {
    this.#publisher.interrupt()
    this.#generation += 1
    this.#messages?.stop()
    this.#interrupt?.()
    this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.reconnected()
    await this.#running
    await this.#adding.catch(() => undefined)
  }

  async #consuming(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const interrupted = new Promise<void>((resolve) => {
          this.#interrupt = resolve
        })
        if (!this.#publisher.isAligned) await Promise.race([this.#align(this.#generation), interrupted])
        if (this.#publisher.isAligned) await Promise.race([this.#consume(), interrupted])
      } catch (error) {
        this.#failed(error)
        await pause(RETRY)
      }
    }
  }

  /** Compares what this member knows of the stream with what it is. */
  async #align(generation: number): Promise<void> {
    const assertCurrent = () => {
      if (generation !== this.#generation) throw new FleetError('Unreachable', 'the connection was lost')
    }
    const { store, manager, stream, self, subjectOf } = this.#options
    const info = await manager.streams.info(stream)
    assertCurrent()
    const mark = store.mark()
    if (mark === null) throw new Error('the access store belongs to no fleet')
    const first = Math.max(1, info.state.first_seq)
    const start: StreamPlace = { stream: info.created, position: first - 1, storedAt: '' }
    const isNew = mark.stream === ''
    const isSame = mark.stream === info.created && (await this.#isThere(info, mark))
    // A member without any usage lacks what the stream does not have any more, too.
    if ((isNew || isSame) && mark.position + 1 < first) await this.#catchUp(info, start)
    else if (!isSame) await store.rewind(start)
    const last = await manager.streams.getMessage(stream, { last_by_subj: subjectOf(self) })
    assertCurrent()
    const own = last === null ? null : readDelta(last.data)
    const { epoch, sealed } = store.mark() ?? mark
    const isOwnEpoch = own?.epoch === epoch
    if (isOwnEpoch && own.sequence > sealed) {
      this.#options.count('usageEpochs')
      await store.renewEpoch()
    }
    assertCurrent()
    this.#publisher.align(isOwnEpoch && own.sequence <= sealed ? own.sequence : 0, last?.seq ?? 0)
  }

  /** Whether the message up to which the sum goes is still what it was. */
  async #isThere({ state }: StreamInfo, { position, storedAt }: StreamPlace): Promise<boolean> {
    if (position > state.last_seq) return false
    if (position < state.first_seq || storedAt === '') return true
    const message = await this.#options.manager.streams.getMessage(this.#options.stream, { seq: position })
    return message !== null && Math.abs(message.time.getTime() - Number(storedAt)) <= DUPLICATE_TOLERANCE
  }

  /** The stream does not have any more what comes after the sum. */
  async #catchUp(info: StreamInfo, start: StreamPlace): Promise<void> {
    if (this.#attempts === 0) this.#options.count('usageMissed')
    const isTaken = await this.#options.takeOver(info.created, start.position, [])
    this.#attempts += 1
    if (!isTaken && this.#attempts < MOST_ATTEMPTS) {
      throw new FleetError('NoMember', 'no member gives the usage that the stream does not have any more')
    }
    this.#attempts = 0
    // Nobody has it: what is still there is added, so that counting goes on.
    if (!isTaken) await this.#options.store.rewind(start)
  }

  /** Adds what the stream has, until the connection is lost. */
  async #consume(): Promise<void> {
    const generation = this.#generation
    const { jetstream, stream, store } = this.#options
    const position = store.mark()?.position ?? 0
    const consumer = await jetstream.consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: position + 1,
    })
    const messages = await consumer.consume({ max_messages: BATCH, idle_heartbeat: HEARTBEAT })
    endWhenSilent(messages)
    this.#messages = messages
    if (generation !== this.#generation) {
      messages.stop()
      return
    }
    let batch: JsMsg[] = []
    let bytes = 0
    let writing = Promise.resolve()
    let failure: unknown = null
    let isOver = false
    const write = () => {
      const taken = batch
      batch = []
      bytes = 0
      writing = this.#adding = writing.then(async () => {
        if (isOver || generation !== this.#generation) return
        try {
          isOver = !(await this.#add(taken))
        } catch (error) {
          failure = error
          isOver = true
        }
        if (isOver) messages.stop()
      })
    }
    let timer: NodeJS.Timeout | null = null
    for await (const message of messages) {
      batch.push(message)
      bytes += message.data.length
      if (batch.length < BATCH && bytes < BATCH_BYTES) {
        timer ??= setTimeout(() => {
          timer = null
          write()
        }, GATHER)
        continue
      }
      if (timer !== null) clearTimeout(timer)
      timer = null
      write()
      await writing
    }
    if (timer !== null) clearTimeout(timer)
    await writing
    this.#messages = null
    if (failure !== null) throw failure
  }

  /** @returns whether what follows may be added; otherwise the stream is to be read again from where the sum is */
  async #add(messages: readonly JsMsg[]): Promise<boolean> {
    const last = messages.at(-1)
    if (last === undefined) return true
    const { store, count } = this.#options
    const deltas = messages.flatMap((message) => this.#deltaOf(message))
    const stream = store.mark()?.stream ?? ''
    const storedAt = String(Math.floor(last.info.timestampNanos / 1e6))
    const place = { stream, position: last.seq, storedAt }
    const { added, doubles, missing } = await store.consume(deltas, place, {
      skipsMissing: this.#skipsMissing,
    })
    count('usageAdded', added)
    count('usageDoubles', doubles)
    if (last.info.pending === 0) this.#skipsMissing = false
    if (missing.length === 0) return true
    await this.#findMissing(missing, stream, last.seq)
    return false
  }

  /** Deltas before those of the stream are gone: another member may have them in its sum. */
  async #findMissing(missing: readonly DeltaName[], stream: string, position: number): Promise<void> {
    this.#options.count('usageGaps')
    this.#attempts += 1
    const { store, takeOver } = this.#options
    const counters = [...new Set(missing.map(({ member }) => member))]
    const isTaken = await takeOver(stream, position, counters)
    const isThere = isTaken && missing.every((delta) => store.lastOf(delta) >= delta.sequence)
    if (!isThere && this.#attempts < MOST_ATTEMPTS) {
      await pause(RETRY)
      return
    }
    this.#attempts = 0
    if (isThere) return
    // Nobody has them: what comes after them is added without.
    this.#skipsMissing = true
    const info = await this.#options.manager.streams.info(this.#options.stream)
    await this.#options.store.rewind({
      stream,
      position: Math.max(0, info.state.first_seq - 1),
      storedAt: '',
    })
  }

  #deltaOf(message: JsMsg): UsageDelta[] {
    const delta = readDelta(message.data)
    if (delta !== null && this.#options.subjectOf(delta.member) === message.subject) return [delta]
    this.#options.count('usageUnreadable')
    return []
  }

  async #publishPeriodically(): Promise<void> {
    while (!this.#isStopped) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, PUBLISH_PERIOD).unref()
      })
      if (this.#isStopped) return
      try {
        if (this.#publisher.hasWork) await this.publish()
      } catch (error) {
        this.#failed(error)
      }
    }
  }

  /** Publishes what was counted. @throws as {@link UsagePublisher.publish} */
  publish(): Promise<void> {
    return this.#publisher.publish()
  }

  #failed(error: unknown): void {
    if (!this.#isStopped && !isConflict(error)) this.#options.onFailure(error)
  }
}

/** Times that the sums of others are looked at for what is missing. */
const MOST_ATTEMPTS = 5

/** A delta of the stream; null for what is none. */
function readDelta(bytes: Uint8Array): UsageDelta | null {
  try {
    return decodeDelta(Buffer.from(bytes))
  } catch (error) {
    if (error instanceof AccessError) return null
    throw error
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
