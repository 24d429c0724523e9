import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import { FleetError } from '../errors.ts'
import type { FleetHead, LoggedTransaction } from '../interface.ts'
import { decodeHead } from '../member/headEntry.ts'
import type { LogPosition } from '../memberFile.ts'
import type { FleetNames } from '../nats/names.ts'
import { READ_PAUSE, readStream } from '../nats/readStream.ts'
import { isInLog, type LogStream } from './logStream.ts'
import type { EntryPosition } from './stabilityMessages.ts'

/** Bytes of entries that wait here to be applied; as many are asked of the stream in advance. */
const WAITING_BYTES = 4 * 1024 * 1024
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 512
/** Largest groups of transactions that the chain thread gets at once. */
const GROUP_BYTES = 1024 * 1024
const GROUP_COUNT = 512
/** Largest transaction, bytes: above what any pool takes. */
const LARGEST_TRANSACTION = 512 * 1024
/** Pause before entries that cannot be applied are tried again, milliseconds. */
const APPLY_PAUSE = 250

/** Applies the log. Calls come one after the other. */
export interface LogHandler {
  transactions(entries: readonly LoggedTransaction[]): Promise<void>
  /** @param time when the stream stored it, milliseconds since 1970 */
  head(head: FleetHead, time: number): Promise<void>
  /** An entry does not parse and is left out. */
  skipped(sequence: number): void
  /** The log is another one, or has lost entries that were applied: it is applied from its end on (fleet.md §4). */
  lost(end: number): Promise<void>
  /** Entries are applied, in their order: those that were left out as well. */
  moved(entries: readonly EntryPosition[]): void
  /** All that the log had when the connection was made is applied, or that does not hold any more. */
  verified(isVerified: boolean): void
}

export interface LogConsumerOptions {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly stream: LogStream
  readonly handler: LogHandler
  readonly logger: Logger
  /** Something that ends this thread: the log has dropped entries that this member lacks, so that it joins anew. */
  onBehind(error: FleetError): void
}

interface Waiting extends EntryPosition {
  readonly bytes: number
  readonly content: { readonly head: FleetHead } | { readonly transaction: Buffer } | null
}

/**
 * Reads the log from a sequence on, entry by entry without a gap, and has it applied. All subjects of the stream are
 * read, so that sequences have to follow one another. With every connection it makes sure that the log still is the
 * one that was applied before it reads on.
 */
export class LogConsumer {
  readonly #options: LogConsumerOptions
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #created: string
  /** Of the last entry that was applied. */
  #applied: number
  #appliedTime: number | null = null
  /** Of the last entry that was received. */
  #received: number
  #messages: ConsumerMessages | null = null
  #isStopped = false
  #applying: Promise<void> | null = null
  /** Work that wants the log to stand still. */
  #rests: (() => Promise<void>)[] = []
  #room: (() => void) | null = null
  #running: Promise<void> = Promise.resolve()

  /** @param after the last entry that was applied */
  constructor(options: LogConsumerOptions, after: LogPosition) {
    this.#options = options
    this.#created = after.created
    this.#applied = after.sequence
    this.#appliedTime = after.time
    this.#received = after.sequence
  }

  /** Sequence of the last entry that was applied. */
  get applied(): number {
    return this.#applied
  }

  /** The last entry that was applied. */
  get position(): LogPosition {
    return { created: this.#created, sequence: this.#applied, time: this.#appliedTime }
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.interrupt()
    await this.#running
    await this.#applying
  }

  /** The connection was lost: what comes after may be of another log. */
  interrupt(): void {
    this.#options.handler.verified(false)
    this.#messages?.stop()
    this.#room?.()
  }

  /** Does something between two entries; what it reads of the pool is as of {@link applied}. */
  atRest<T>(work: (sequence: number) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rests.push(() => work(this.#applied).then(resolve, reject))
      this.#apply()
    })
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        // What was received is applied first: the position is then that of the log.
        await this.#applying
        await this.#verify()
        await this.#consume()
      } catch (error) {
        if (this.#isStopped) return
        this.#options.logger.debug({ err: error }, 'the log is read anew')
      }
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, READ_PAUSE))
    }
  }

  async #verify(): Promise<void> {
    const { stream, handler, onBehind } = this.#options
    const state = await stream.state()
    if (!(await isInLog(stream, state, this.position))) {
      this.#waiting.length = 0
      this.#waitingBytes = 0
      this.#note(state.last, null, state.created)
      await handler.lost(state.last)
    } else if (state.first > this.#applied + 1 && state.last > this.#applied) {
      this.#isStopped = true
      const text = `the log begins at ${state.first}, this member stands at ${this.#applied}: it joins anew`
      onBehind(new FleetError('Failed', text))
      throw new FleetError('Failed', text)
    }
    this.#appliedTime ??= await stream.timeOf(this.#applied)
    this.#received = this.#applied
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  async #consume(): Promise<void> {
    const { jetstream, manager, names, handler } = this.#options
    const range = { stream: names.log, from: this.#received + 1, askedBytes: WAITING_BYTES }
    await readStream({ jetstream, manager }, range, async (messages) => {
      this.#messages = messages
      handler.verified(true)
      try {
        for await (const message of messages) await this.#receive(message)
      } finally {
        this.#messages = null
        handler.verified(false)
      }
    })
  }

  /** @throws FleetError when entries are missing before it */
  async #receive(message: JsMsg): Promise<void> {
    if (message.seq <= this.#received) return
    if (message.seq !== this.#received + 1)
      throw new FleetError('Failed', `entry ${message.seq} follows ${this.#received}`)
    this.#received = message.seq
    this.#take(message)
    // Nothing more is asked of the stream while nothing is taken here.
    while (this.#waitingBytes > WAITING_BYTES && !this.#isStopped)
      await new Promise<void>((resolve) => {
        this.#room = resolve
      })
  }

  #take(message: JsMsg): void {
    const bytes = message.data.length + ENTRY_BYTES
    const content = this.#contentOf(message)
    this.#waiting.push({ sequence: message.seq, time: message.time.getTime(), bytes, content })
    this.#waitingBytes += bytes
    this.#apply()
  }

  #contentOf({ subject, data, seq }: JsMsg): Waiting['content'] {
    const { names } = this.#options
    if (subject === names.transactionSubject)
      return data.length === 0 || data.length > LARGEST_TRANSACTION
        ? null
        : { transaction: Buffer.from(data) }
    try {
      return { head: decodeHead(data, seq) }
    } catch {
      return null
    }
  }

  #apply(): void {
    this.#applying ??= this.#applyAll().finally(() => {
      this.#applying = null
    })
  }

  async #applyAll(): Promise<void> {
    const { handler, logger } = this.#options
    // What came in the same turn goes together.
    await new Promise((resolve) => setImmediate(resolve))
    for (;;) {
      for (const rest of this.#rests.splice(0)) await rest()
      const group = this.#nextGroup()
      const last = group.at(-1)
      if (last === undefined) return
      try {
        await this.#applyGroup(group)
      } catch (error) {
        // The stores take no writes, or the chain thread has ended: it is tried again, in order.
        logger.error({ err: error, sequence: last.sequence }, 'entries of the log cannot be applied')
        if (this.#isStopped) return
        await new Promise((resolve) => setTimeout(resolve, APPLY_PAUSE))
        continue
      }
      this.#waiting.splice(0, group.length)
      for (const { bytes } of group) this.#waitingBytes -= bytes
      this.#note(last.sequence, last.time, this.#created)
      handler.moved(group)
      this.#room?.()
    }
  }

  async #applyGroup(group: readonly Waiting[]): Promise<void> {
    const { handler } = this.#options
    const transactions: LoggedTransaction[] = []
    for (const { sequence, time, content } of group) {
      if (content === null) handler.skipped(sequence)
      else if ('head' in content) await handler.head(content.head, time)
      else transactions.push({ sequence, time, encoded: content.transaction })
    }
    if (transactions.length > 0) await handler.transactions(transactions)
  }

  /** Transactions up to the next head, or one head. */
  #nextGroup(): Waiting[] {
    const [first] = this.#waiting
    if (first?.content && 'head' in first.content) return [first]
    const group: Waiting[] = []
    let bytes = 0
    for (const entry of this.#waiting) {
      if (entry.content && 'head' in entry.content) break
      if (group.length > 0 && (bytes + entry.bytes > GROUP_BYTES || group.length >= GROUP_COUNT)) break
      group.push(entry)
      bytes += entry.bytes
    }
    return group
  }

  #note(sequence: number, time: number | null, created: string): void {
    this.#applied = sequence
    this.#appliedTime = time
    this.#created = created
  }
}
