import type { JetStreamClient } from '@nats-io/jetstream'
import { headers as createHeaders } from '@nats-io/transport-node'
import type { Logger } from '../../observe/logger.ts'
import { ByteGate } from '../../sync/link/byteGate.ts'
import { HEADER_ROOM } from '../nats/calls.ts'
import { CHUNK_HEADER, chunkHeader, splitChunks } from '../nats/chunks.ts'
import type { FleetNames } from '../nats/names.ts'

/** Bytes of blocks that are on their way to the stream; more wait. */
const SENT_BYTES = 16 * 1024 * 1024
/** Bytes of blocks that wait for that; what comes above is left to those who ask for it. */
const WAITING_BYTES = 128 * 1024 * 1024
const RETRY_PAUSE = 500

export interface BlockPublisherOptions {
  /** Its timeout is that of a chunk: a stream whose leader is gone answers nothing. */
  readonly jetstream: JetStreamClient
  readonly names: FleetNames
  /** Largest message of the server, bytes. */
  readonly maxPayload: () => number
  readonly logger: Logger
}

/** Publishes blocks that this member accepted, each once for the whole fleet (fleet.md §5). */
export class BlockPublisher {
  /** Blocks that were published, and those that were left out because too many waited. */
  readonly counts = { published: 0, left: 0 }
  readonly #options: BlockPublisherOptions
  readonly #gate = new ByteGate(SENT_BYTES)
  #waitingBytes = 0
  #isStopped = false

  constructor(options: BlockPublisherOptions) {
    this.#options = options
  }

  /** @param encoded RLP of the block */
  publish(hash: Buffer, encoded: Buffer): void {
    if (this.#waitingBytes + encoded.length > WAITING_BYTES) {
      this.counts.left += 1
      return
    }
    this.#waitingBytes += encoded.length
    void this.#send(hash, encoded).finally(() => {
      this.#waitingBytes -= encoded.length
    })
  }

  stop(): void {
    this.#isStopped = true
  }

  async #send(hash: Buffer, encoded: Buffer): Promise<void> {
    const { jetstream, names, maxPayload, logger } = this.#options
    await this.#gate.enter(encoded.length)
    try {
      const chunks = splitChunks(encoded, maxPayload() - HEADER_ROOM)
      for (const [index, chunk] of chunks.entries()) {
        while (!this.#isStopped) {
          try {
            const headers = createHeaders()
            headers.set(CHUNK_HEADER, chunkHeader({ index, count: chunks.length }))
            const msgID = `${hash.toString('hex')}-${index}`
            await jetstream.publish(names.blockSubject(hash), chunk, { headers, msgID })
            break
          } catch (error) {
            logger.debug({ err: error }, 'a block is published again')
            await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE))
          }
        }
      }
      this.counts.published += 1
    } finally {
      this.#gate.leave(encoded.length)
    }
  }
}
