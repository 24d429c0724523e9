import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { keccak256 } from '../../native/crypto.ts'
import { isConflict, toFleetError } from '../errors.ts'
import type { FleetHead } from '../interface.ts'
import { decodeHead, encodeHead, type HeadEntry } from '../member/headEntry.ts'
import type { HeadLog, WriteOutcome } from '../member/memberPorts.ts'
import type { LogPosition } from '../memberFile.ts'
import type { FleetNames } from '../nats/names.ts'

/** Pause before a transaction whose fate is unknown is published again, milliseconds. */
const RETRY_PAUSE = 100

/** What the log is now. */
export interface LogState {
  /** When the stream was created, as NATS says it: another time is another log. */
  readonly created: string
  /** Sequences of the first and the last entry that it has. */
  readonly first: number
  readonly last: number
}

export interface LogStreamOptions {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  /** Milliseconds for which an acknowledgement is waited for. */
  readonly timeout: number
}

/** The stream of the log: what is written to it, and what is asked of it (fleet.md §1). */
export class LogStream implements HeadLog {
  readonly #options: LogStreamOptions

  constructor(options: LogStreamOptions) {
    this.#options = options
  }

  /** @throws FleetError */
  async state(): Promise<LogState> {
    const { manager, names } = this.#options
    try {
      const { created, state } = await manager.streams.info(names.log)
      return { created: String(created), first: state.first_seq, last: state.last_seq }
    } catch (error) {
      throw toFleetError(error, 'the log cannot be read')
    }
  }

  /** @throws FleetError */
  async end(): Promise<number> {
    return (await this.state()).last
  }

  /** When the stream stored an entry, milliseconds since 1970; null when it has none of that sequence. */
  async timeOf(sequence: number): Promise<number | null> {
    const { manager, names } = this.#options
    if (sequence < 1) return null
    try {
      const message = await manager.streams.getMessage(names.log, { seq: sequence })
      return message === null ? null : message.time.getTime()
    } catch (error) {
      throw toFleetError(error, 'the log cannot be read')
    }
  }

  /** The last head with the time at which it was stored; null when the log has none. @throws FleetError */
  async lastHead(): Promise<{ readonly head: FleetHead; readonly time: number } | null> {
    const { manager, names } = this.#options
    try {
      const message = await manager.streams.getMessage(names.log, { last_by_subj: names.headSubject })
      if (message === null) return null
      return { head: decodeHead(message.data, message.seq), time: message.time.getTime() }
    } catch (error) {
      throw toFleetError(error, 'the head of the fleet cannot be read')
    }
  }

  async writeHead(expected: number, entry: HeadEntry): Promise<WriteOutcome> {
    const { jetstream, names, timeout } = this.#options
    try {
      const expect = { lastSubjectSequence: expected }
      await jetstream.publish(names.headSubject, encodeHead(entry), { expect, timeout })
      return 'stored'
    } catch (error) {
      return isConflict(error) ? 'conflict' : 'unknown'
    }
  }

  /**
   * Publishes transactions in their order; one that the log has already is not stored again.
   * @param after of those that are to be stored once more, the sequence that they follow: what a refusal, or a place in
   *   the pool that was lost, came of may be another now
   * @param until when nobody waits any more, milliseconds of `performance.now()`
   * @returns sequences
   * @throws FleetError when the fate of one stays unknown
   */
  async publishTransactions(
    encoded: readonly Buffer[],
    after: readonly (number | null)[],
    until: number,
  ): Promise<readonly number[]> {
    return Promise.all(
      encoded.map((transaction, index) => this.#publish(transaction, after[index] ?? null, until)),
    )
  }

  async #publish(transaction: Buffer, after: number | null, until: number): Promise<number> {
    const { jetstream, names, timeout } = this.#options
    // A repetition is recognised by its id, so that an unknown outcome is no reason to give up.
    const hash = keccak256(transaction).toString('hex')
    const msgID = after === null ? hash : `${hash}-${after}`
    for (;;) {
      try {
        const { seq } = await jetstream.publish(names.transactionSubject, transaction, { msgID, timeout })
        return seq
      } catch (error) {
        if (performance.now() + RETRY_PAUSE >= until)
          throw toFleetError(error, 'the transaction cannot be written to the log')
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE))
      }
    }
  }
}

/**
 * Whether the log has what was applied (fleet.md §4): it is the same log, and the entry is the same, or was dropped for
 * the limits of the stream.
 * @throws FleetError
 */
export async function isInLog(
  stream: Pick<LogStream, 'timeOf'>,
  { created, first, last }: LogState,
  position: LogPosition,
): Promise<boolean> {
  if (created !== position.created || last < position.sequence) return false
  if (position.time === null || first > position.sequence) return true
  return (await stream.timeOf(position.sequence)) === position.time
}
