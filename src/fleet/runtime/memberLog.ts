import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import type { FleetChainService, MemberId } from '../interface.ts'
import { LogConsumer } from '../log/logConsumer.ts'
import type { LogStability } from '../log/logStability.ts'
import { isInLog, type LogStream } from '../log/logStream.ts'
import type { FleetMember } from '../member/fleetMember.ts'
import { fetchPool, POOL_SERVICE, PoolGiver, readPool } from '../member/poolTakeover.ts'
import type { LogPosition } from '../memberFile.ts'
import type { MemberCalls } from '../nats/calls.ts'
import type { FleetNames } from '../nats/names.ts'
import type { MemberIdentity } from './memberIdentity.ts'

/** Time between two notes of the position in the file of the member, milliseconds. */
const POSITION_INTERVAL = 1000
/** Time between two looks at a log that lost entries, milliseconds. */
const LOOK_INTERVAL = 250

export interface MemberLogOptions {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly stream: LogStream
  readonly stability: LogStability
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
  #isStopped = false
  #noteNow: () => void = () => undefined

  constructor(options: MemberLogOptions) {
    this.#options = options
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
    const { jetstream, manager, names, stream, stability, chain, calls, identity } = this.#options
    const { clock, logger, count, onBehind } = this.#options
    const found = before === null ? null : await this.#find(member, before, end)
    const { readyAt, ...fallback } = found ?? { ...(await this.#positionAt(created, end)), readyAt: end }
    const position = await this.#takeOver(member, fallback)
    this.#note(member, position)
    stability.begin(position)
    const consumer = new LogConsumer(
      {
        ...{ jetstream, manager, names, stream, logger },
        handler: {
          transactions: async (entries) => {
            stability.admitting(entries.at(-1)?.sequence ?? 0)
            await chain.admit(entries)
            count('transactions', entries.length)
          },
          head: async (head, time) => {
            if (head.revision <= (member.head?.revision ?? 0)) return
            stability.moving(head)
            await member.applyHead(head, time)
            if (identity.position === null) this.#note(member, this.#consumer?.position ?? null)
          },
          skipped: () => count('malformed'),
          lost: (last) => this.#lost(member, last),
          moved: (entries) => {
            if ((entries.at(-1)?.sequence ?? 0) >= readyAt) member.ready()
            stability.applied(entries, member.head)
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
    if (position.sequence >= readyAt) member.ready()
    consumer.start()
    const giver = new PoolGiver(
      () => consumer.atRest((sequence) => readPool(chain, sequence, member.head)),
      clock,
    )
    calls.serve(POOL_SERVICE, (payload) => giver.answer(payload), { concurrency: 1 })
    this.#noteNow = () => this.#note(member, consumer.position)
    this.#positions = setInterval(this.#noteNow, POSITION_INTERVAL)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#positions)
    this.#noteNow()
    await this.#consumer?.stop()
  }

  /** The connection was lost: what comes after may be of another log. */
  interrupt(): void {
    this.#consumer?.interrupt()
  }

  /** The head and the pool that this member begins with. @returns what it has applied then */
  async #takeOver(member: FleetMember, fallback: LogPosition): Promise<LogPosition> {
    const { chain, calls, stream, logger, givers } = this.#options
    for (const giver of givers()) {
      try {
        const pool = await fetchPool(calls, giver)
        if (pool.head !== null) await member.applyHead(pool.head)
        await chain.replacePool(pool.entries, pool.state)
        return await this.#positionAt(fallback.created, pool.sequence)
      } catch (error) {
        logger.warn({ err: error, member: giver }, 'the pool of another member cannot be taken over')
      }
    }
    const last = await stream.lastHead()
    if (last !== null) await member.applyHead(last.head, last.time)
    return fallback
  }

  /**
   * Where a member goes on that was there before. Where the log lost entries, it is waited for a head that is no lighter
   * than the one that this member has (fleet.md §4).
   * @param readyAt what it must have applied before it is ready
   */
  async #find(
    member: FleetMember,
    before: LogPosition,
    readyAt: number,
  ): Promise<LogPosition & { readonly readyAt: number }> {
    const { stream } = this.#options
    let found = { ...before, readyAt }
    for (let looks = 0; ; looks += 1) {
      const state = await stream.state()
      const last = await stream.lastHead()
      const isLighter = last === null || member.served.isLighter(last.head)
      if (!(await isInLog(stream, state, found)) || (isLighter && looks === 0)) {
        await this.#lost(member, state.last)
        found = { ...(await this.#positionAt(state.created, state.last)), readyAt: state.last }
      }
      if (!isLighter || !member.served.stays || this.#isStopped) return found
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL))
    }
  }

  async #positionAt(created: string, sequence: number): Promise<LogPosition> {
    return { created, sequence, time: await this.#options.stream.timeOf(sequence) }
  }

  async #lost(member: FleetMember, end: number): Promise<void> {
    const { stream, stability, logger, count } = this.#options
    logger.error('the log is another one, or has lost its last entries: this member joins anew')
    count('lostLogs')
    stability.lost()
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

  /** From then on its canonical head counts as one of the fleet. */
  #note(member: FleetMember, position: LogPosition | null): void {
    if (position === null || !member.served.isOfFleet) return
    const { identity } = this.#options
    // Nobody serves under a head without members: who served before it is still to be known.
    const named = member.head?.members ?? []
    identity.notePosition(position, named.length === 0 ? identity.named : named)
  }
}
