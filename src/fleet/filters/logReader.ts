import { DeliverPolicy, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { HASHES_PER_POLL } from '../../filters/pollBounds.ts'
import { keccak256 } from '../../native/crypto.ts'
import { FleetError, toFleetError } from '../errors.ts'
import type { FleetNames } from '../nats/names.ts'
import { pack, unpack } from '../nats/packed.ts'

/** Milliseconds without a message after which reading is given up. */
const IDLE = 2000
/** Bytes of a question. */
const QUESTION_BYTES = 64
const HASH_BYTES = 32
/** Bytes of an answer. */
export const LOG_REPLY_BYTES: number = HASHES_PER_POLL * HASH_BYTES + 1024

/** Reads transactions of the log that a filter was not told of before its member was restarted. */
export class LogReader {
  readonly #jetstream: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #names: FleetNames

  constructor(jetstream: JetStreamClient, manager: JetStreamManager, names: FleetNames) {
    this.#jetstream = jetstream
    this.#manager = manager
    this.#names = names
  }

  /**
   * Answers {@link askLog}.
   * @throws FleetError
   */
  async between(question: Buffer): Promise<Buffer> {
    const [after, to] = parseQuestion(question)
    try {
      return pack(await this.#read(after, to))
    } catch (error) {
      throw toFleetError(error, 'the log cannot be read')
    }
  }

  /** Hashes in one piece; null when the log does not keep them all, or there are too many. */
  async #read(after: number, to: number): Promise<Buffer | null> {
    const { log, transactionSubject } = this.#names
    const { state } = await this.#manager.streams.info(log)
    if (state.first_seq > after + 1) return null
    const last = Math.min(to, state.last_seq)
    const hashes: Buffer[] = []
    if (after >= last) return Buffer.alloc(0)
    const consumer = await this.#jetstream.consumers.get(log, {
      filter_subjects: transactionSubject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
    })
    for (let next = after + 1; next <= last; ) {
      const messages = await consumer.fetch({ max_messages: 512, expires: IDLE })
      let received = 0
      for await (const message of messages) {
        received += 1
        if (message.seq > last) return Buffer.concat(hashes)
        if (hashes.length >= HASHES_PER_POLL) return null
        hashes.push(keccak256(message.data))
        next = message.seq + 1
        if (message.info.pending === 0) return Buffer.concat(hashes)
      }
      // Nothing came for so long: what follows is no transaction.
      if (received === 0) break
    }
    return Buffer.concat(hashes)
  }
}

/**
 * Asks for the hashes of transactions behind one entry of the log, up to and with another; null when the log does not
 * keep them all, or there are too many.
 * @param call asks the fleet thread (service `loggedTransactions`)
 * @throws FleetError `Malformed`, and what the call throws
 */
export async function askLog(
  call: (question: Buffer) => Promise<Buffer>,
  after: number,
  to: number,
): Promise<Buffer[] | null> {
  const reply = unpack(await call(pack([after, to])), LOG_REPLY_BYTES)
  if (reply === null) return null
  if (!(reply instanceof Uint8Array) || reply.length % HASH_BYTES !== 0) {
    throw new FleetError('Malformed', 'hashes of the log do not parse')
  }
  const bytes = Buffer.from(reply)
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
}

function parseQuestion(question: Buffer): readonly [number, number] {
  const value = unpack(question, QUESTION_BYTES)
  const [after, to] = Array.isArray(value) ? (value as unknown[]) : []
  if (!Number.isSafeInteger(after) || !Number.isSafeInteger(to)) {
    throw new FleetError('Malformed', 'a question about the log does not parse')
  }
  return [after as number, to as number]
}
