import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import { SharedQuestion } from '../../util/sharedQuestion.ts'
import { FleetError } from '../errors.ts'
import type { FleetChainService, MemberId } from '../interface.ts'
import { LogConsumer } from '../log/logConsumer.ts'
import type { LogStream } from '../log/logStream.ts'
import type { FleetMember } from '../member/fleetMember.ts'
import { fetchPool, POOL_SERVICE, PoolGiver, readPool } from '../member/poolTakeover.ts'
import type { LogPosition } from '../memberFile.ts'
import type { MemberCalls } from '../nats/calls.ts'
import type { FleetNames } from '../nats/names.ts'
import type { MemberIdentity } from './memberIdentity.ts'

/** Time between two notes of the position in the file of the member, milliseconds. */
const POSITION_INTERVAL = 1000

export interface MemberLogOptions {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly stream: LogStream
  readonly chain: FleetChainService
  readonly calls: MemberCalls
  readonly identity: MemberIdentity
  readonly clock: () => number
  readonly logger: Logger
  /** Milliseconds for which the log may take to store what is published. */
  readonly publishTime: number
  /** Other members that serve, whose pool may be taken over. */
  givers(): readonly MemberId[]
  count(name: string, by?: number): void
  /** The log has dropped entries that this member lacks: it has to join anew. */
  onBehind(error: Error): void
}

/** The log as this member applies it: taken over from another one, followed, and found whole or not (fleet.md §4). */
export class MemberLog {
  readonly #options: MemberLogOptions
  #consumer: LogConsumer | null = null
  #positions: NodeJS.Timeout | undefined
  #isVerified = false
  readonly #end: SharedQuestion<number>
  /** Those who wait until an entry is applied. */
  readonly #waiting = new Set<{ readonly sequence: number; readonly resolve: () => void }>()

  constructor(options: MemberLogOptions) {
    this.#options = options
    this.#end = new SharedQuestion(() => options.stream.end())
  }

  /** Whether it is known to be the one that was applied, with all that was applied. */
  get isVerified(): boolean {
    return this.#isVerified
  }

  /** Looks at the log before there is a lease. @returns its creation time @throws FleetError */
  async look(): Promise<string> {
    const { created } = await this.#options.stream.state()
    this.#isVerified = true
    return created
  }

  /**
   * Takes head and pool over, and follows the log from there.
   * @param before where this member stood when it ended
   * @param created creation time of the log as it was looked at
   * @param end last sequence of the log, read after this member had its lease
   */
  async start(member: FleetMember, before: LogPosition | null, created: string, end: number): Promise<void> {
    const { jetstream, manager, names, stream, chain, calls, clock, logger, count, onBehind } = this.#options
    const position = await this.#takeOver(member, before, created, end)
    const consumer = new LogConsumer(
      {
        ...{ jetstream, manager, names, stream, logger },
        handler: {
          transactions: async (entries) => {
            await chain.admit(entries)
            count('transactions', entries.length)
          },
          head: async (head, time) => {
            if (head.revision > (member.head?.revision ?? 0)) await member.applyHead(head, time)
          },
          skipped: () => count('malformed'),
          lost: (last) => this.#lost(member, last),
          moved: ({ sequence }) => {
            if (sequence >= end) member.ready()
            this.#moved(sequence)
          },
          verified: (isVerified) => {
            this.#isVerified = isVerified
          },
        },
        onBehind,
      },
      position,
    )
    this.#consumer = consumer
    if (position.sequence >= end) member.ready()
    consumer.start()
    const giver = new PoolGiver(
      () => consumer.atRest((sequence) => readPool(chain, sequence, member.head)),
      clock,
    )
    calls.serve(POOL_SERVICE, (payload) => giver.answer(payload), { concurrency: 1 })
    this.#positions = setInterval(() => this.#notePosition(), POSITION_INTERVAL)
  }

  async stop(): Promise<void> {
    clearInterval(this.#positions)
    this.#notePosition()
    await this.#consumer?.stop()
  }

  /**
   * Resolves when everything is applied that the log has when this is called: what the pool then says is never older than
   * what another member said before.
   * @throws FleetError `Timeout` when that takes longer
   */
  async caughtUp(milliseconds: number): Promise<void> {
    const sequence = await this.#end.ask()
    if ((this.#consumer?.applied ?? 0) >= sequence) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(new FleetError('Timeout', 'this member is behind the log of the fleet: ask another one'))
      }, milliseconds)
      const waiting = {
        sequence,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      this.#waiting.add(waiting)
    })
  }

  #moved(applied: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.sequence > applied) continue
      this.#waiting.delete(waiting)
      waiting.resolve()
    }
  }

  /** The connection was lost: what comes after may be of another log. */
  interrupt(): void {
    this.#consumer?.interrupt()
  }

  /** The head and the pool that this member begins with. @returns what it has applied then */
  async #takeOver(
    member: FleetMember,
    before: LogPosition | null,
    created: string,
    end: number,
  ): Promise<LogPosition> {
    const { chain, calls, stream, logger, givers } = this.#options
    for (const giver of givers()) {
      try {
        const pool = await fetchPool(calls, giver)
        if (pool.head !== null) await member.applyHead(pool.head)
        await chain.replacePool(pool.entries, pool.state)
        return { created, sequence: pool.sequence }
      } catch (error) {
        logger.warn({ err: error, member: giver }, 'the pool of another member cannot be taken over')
      }
    }
    const last = await stream.lastHead()
    if (last !== null) await member.applyHead(last.head, last.time)
    const isSame = before !== null && before.created === created && before.sequence <= end
    return isSame ? { created, sequence: before.sequence } : { created, sequence: end }
  }

  async #lost(member: FleetMember, end: number): Promise<void> {
    const { stream, logger, count } = this.#options
    logger.error('the log is another one, or has lost its last entries: this member joins anew')
    count('lostLogs')
    const last = await stream.lastHead()
    member.lost(last?.head ?? null, end)
    await this.#republish()
  }

  /** What the pool has goes to the log again: ids remove doubles. */
  async #republish(): Promise<void> {
    const { chain, stream, logger, publishTime } = this.#options
    const entries = await chain.pool()
    const encoded = entries.map((entry) => entry.encoded)
    await stream.publishTransactions(encoded, [], performance.now() + publishTime).catch((error: unknown) => {
      logger.warn({ err: error }, 'transactions of the pool are not in the log')
    })
  }

  #notePosition(): void {
    const position = this.#consumer?.position ?? null
    if (position !== null) this.#options.identity.notePosition(position)
  }
}
