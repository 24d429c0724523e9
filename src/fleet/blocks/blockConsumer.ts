import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import { CHUNK_HEADER, ChunkAssembler, parseChunkHeader } from '../nats/chunks.ts'
import type { FleetNames } from '../nats/names.ts'
import { READ_PAUSE, readStream } from '../nats/readStream.ts'

/** Largest block, bytes. */
const LARGEST_BLOCK = 16 * 1024 * 1024
/** Bytes of blocks whose chunks are not all there. */
const INCOMPLETE_BYTES = 64 * 1024 * 1024
const LIFETIME = 60_000
/** Bytes that are asked of the stream in advance. */
const ASKED_BYTES = 4 * 1024 * 1024
/** Largest groups of blocks that the chain thread gets at once. */
const GROUP_BYTES = 4 * 1024 * 1024
const GROUP_COUNT = 64

/** A block as it comes from the stream. */
export interface ComingBlock {
  readonly hash: Buffer
  readonly encoded: Buffer
}

export interface BlockConsumerOptions {
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly logger: Logger
  /** Connects blocks, in the order in which they came. */
  take(blocks: readonly ComingBlock[]): Promise<void>
  /** A message does not parse and is left out. */
  skipped(): void
}

/**
 * Reads blocks from the stream from now on: who lacks earlier ones asks other members (fleet.md §5). No more is asked of
 * the stream while blocks wait to be connected.
 */
export class BlockConsumer {
  readonly #options: BlockConsumerOptions
  readonly #assembler: ChunkAssembler
  #messages: ConsumerMessages | null = null
  #waiting: ComingBlock[] = []
  #waitingBytes = 0
  #taking: Promise<void> | null = null
  /** Of the last message; 0 before the first. */
  #sequence = 0
  #isStopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: BlockConsumerOptions) {
    this.#options = options
    this.#assembler = new ChunkAssembler(
      { message: LARGEST_BLOCK, source: INCOMPLETE_BYTES, total: INCOMPLETE_BYTES, lifetime: LIFETIME },
      () => performance.now(),
    )
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#messages?.stop()
    await this.#running
    await this.#taking
  }

  /** The connection was lost: a consumer is made anew. */
  interrupt(): void {
    this.#messages?.stop()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#consume()
      } catch (error) {
        this.#options.logger.debug({ err: error }, 'blocks are read anew')
      }
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, READ_PAUSE))
    }
  }

  async #consume(): Promise<void> {
    const { jetstream, manager, names } = this.#options
    const { last_seq: last } = (await manager.streams.info(names.blocks)).state
    // A stream that lost its tail begins with lower numbers: what is read again is known.
    const from = this.#sequence > 0 && this.#sequence <= last ? this.#sequence + 1 : null
    const range = { stream: names.blocks, from, askedBytes: ASKED_BYTES }
    await readStream({ jetstream, manager }, range, async (messages) => {
      this.#messages = messages
      try {
        for await (const message of messages) {
          this.#sequence = message.seq
          this.#add(message)
          while (this.#waitingBytes > GROUP_BYTES && this.#taking !== null) await this.#taking
        }
      } finally {
        this.#messages = null
      }
    })
  }

  #add({ subject, headers, data }: JsMsg): void {
    const { names, skipped } = this.#options
    const hash = names.blockHash(subject)
    const place = parseChunkHeader(headers?.get(CHUNK_HEADER) ?? '')
    if (hash === null || place === null) {
      skipped()
      return
    }
    const outcome = this.#assembler.add('blocks', hash.toString('hex'), place, data)
    if (outcome.kind === 'refused') skipped()
    if (outcome.kind !== 'complete') return
    this.#waiting.push({ hash, encoded: outcome.message })
    this.#waitingBytes += outcome.message.length
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = null
    })
  }

  async #takeAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const group: ComingBlock[] = []
      let bytes = 0
      for (const block of this.#waiting) {
        if (group.length >= GROUP_COUNT || (group.length > 0 && bytes + block.encoded.length > GROUP_BYTES))
          break
        group.push(block)
        bytes += block.encoded.length
      }
      this.#waiting = this.#waiting.slice(group.length)
      try {
        await this.#options.take(group)
      } catch (error) {
        // They are asked for when a head or a later block needs them.
        this.#options.logger.warn({ err: error }, 'blocks of the fleet cannot be connected')
      }
      this.#waitingBytes -= bytes
    }
  }
}
