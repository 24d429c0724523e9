import type { JetStreamClient } from '@nats-io/jetstream'
import type { FleetUsage } from '../../storage/access/fleetUsage.ts'
import { FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'

/** Milliseconds for the acknowledgement of a delta. */
const TIMEOUT = 5000

/** What {@link UsagePublisher} is made of. */
export interface UsagePublisherOptions {
  readonly store: Pick<FleetUsage, 'seal' | 'outbox' | 'hasUnsent'>
  readonly jetstream: Pick<JetStreamClient, 'publish'>
  /** Subject of a member. */
  readonly subjectOf: (member: MemberId) => string
  readonly self: MemberId
  /** What the stream has may be otherwise than thought: it has to be looked at again. */
  readonly onDoubt: () => void
  readonly count: (name: string, by?: number) => void
}

/** Publishes what a member counted, one delta after the other, each behind the one before it (fleet.md §7). */
export class UsagePublisher {
  readonly #options: UsagePublisherOptions
  /** Last sequence of this member that the stream has, and where; null until the stream was looked at. */
  #end: { readonly sequence: number; readonly position: number } | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(options: UsagePublisherOptions) {
    this.#options = options
  }

  /** Whether it is known what the stream has. */
  get isAligned(): boolean {
    return this.#end !== null
  }

  /** Whether something is on disk that the stream does not have: looking costs less than a transaction. */
  get hasWork(): boolean {
    const { store } = this.#options
    return this.#end !== null && (store.hasUnsent() || store.outbox(this.#end.sequence + 1).length > 0)
  }

  /** The stream was looked at. @param sequence the last one of this member that it has @param position and where */
  align(sequence: number, position: number): void {
    this.#end = { sequence, position }
  }

  /** What the stream has is not known any more. */
  interrupt(): void {
    this.#end = null
  }

  /**
   * Publishes all that was counted and has room.
   * @throws FleetError `Unreachable` before the stream was looked at; what NATS refuses
   */
  publish(): Promise<void> {
    const running = this.#running.catch(() => undefined).then(() => this.#publish())
    this.#running = running
    return running
  }

  async #publish(): Promise<void> {
    const { store, onDoubt } = this.#options
    try {
      for (let more = true; more; ) {
        more = await store.seal()
        const waiting = store.outbox(this.#known().sequence + 1)
        if (waiting.length === 0) return
        for (const delta of waiting) await this.#send(delta)
      }
    } catch (error) {
      if (this.#end !== null) onDoubt()
      throw error
    }
  }

  async #send({ epoch, sequence, payload }: ReturnType<FleetUsage['outbox']>[number]): Promise<void> {
    const { jetstream, subjectOf, self, count } = this.#options
    const end = this.#known()
    const ack = await jetstream.publish(subjectOf(self), payload, {
      msgID: `${self}-${epoch}-${sequence}`,
      expect: { lastSubjectSequence: end.position },
      timeout: TIMEOUT,
    })
    count(ack.duplicate ? 'usageRepeated' : 'usagePublished')
    // The connection was lost meanwhile: the stream is looked at anew.
    if (this.#end !== end) throw new FleetError('Unreachable', 'the connection was lost')
    // Of what the stream had already, the sequence is that of the first time: others may follow it.
    this.#end = { sequence, position: ack.duplicate ? end.position : ack.seq }
  }

  #known(): { readonly sequence: number; readonly position: number } {
    if (this.#end === null) throw new FleetError('Unreachable', 'the stream of usage was not looked at yet')
    return this.#end
  }
}
