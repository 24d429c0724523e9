import type { JetStreamManager } from '@nats-io/jetstream'
import type { FleetUsage } from '../../storage/access/fleetUsage.ts'
import { SharedQuestion } from '../../util/sharedQuestion.ts'
import { CallRefusal } from '../errors.ts'
import type { UsageFlow } from './usageFlow.ts'

/** Milliseconds for a member to have all usage before it tells none. */
export const SETTLE_TIME = 5000

/** Milliseconds between two looks at how far the stream was read. */
const LOOK_PERIOD = 10

/** What {@link UsageSettling} is made of. */
export interface UsageSettlingOptions {
  readonly flow: Pick<UsageFlow, 'publish'>
  readonly store: Pick<FleetUsage, 'mark' | 'hasUnsent'>
  readonly manager: { readonly streams: Pick<JetStreamManager['streams'], 'info'> }
  readonly stream: string
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/**
 * Brings the sum of this member up to what any member may have told before, so that a report never tells less than
 * another one did (fleet.md §7): what this member counted is published, and then the stream is read up to its end.
 */
export class UsageSettling {
  readonly #options: UsageSettlingOptions
  readonly #shared: SharedQuestion<void>

  constructor(options: UsageSettlingOptions) {
    this.#options = options
    this.#shared = new SharedQuestion(() => this.#settle())
  }

  /**
   * Resolves when the sum has what this member had counted on disk, and what all had published, when this was called.
   * @throws CallRefusal `busy` when that takes longer than {@link SETTLE_TIME}
   */
  settle(): Promise<void> {
    return this.#shared.ask()
  }

  async #settle(): Promise<void> {
    const until = this.#options.now() + SETTLE_TIME
    let failure: unknown
    while (this.#options.now() < until) {
      try {
        if (await this.#attempt(until)) return
      } catch (error) {
        // The connection or the stream is away, or what they have is looked at anew.
        failure = error
      }
      await pause(LOOK_PERIOD)
    }
    throw Object.assign(
      new CallRefusal(
        'busy',
        'this member does not have the usage of its fleet yet: ask again or ask another one',
      ),
      { cause: failure },
    )
  }

  async #attempt(until: number): Promise<boolean> {
    const { flow, store, manager, stream, now } = this.#options
    await flow.publish()
    // More than goes at once: the rest goes when that has come back.
    const isPublished = !store.hasUnsent()
    const { created, state } = await manager.streams.info(stream)
    for (; now() < until; await pause(LOOK_PERIOD)) {
      const mark = store.mark()
      if (mark?.stream !== created) return false
      if (mark.position >= state.last_seq) return isPublished
    }
    return false
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
