import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import type { BlockRefusal } from '../../sync/syncChain.ts'
import { BlockConsumer } from '../blocks/blockConsumer.ts'
import { BlockIntake } from '../blocks/blockIntake.ts'
import { BlockPublisher } from '../blocks/blockPublisher.ts'
import {
  BLOCKS_SERVICE,
  BlockService,
  decodeBlocksRequest,
  encodeBlocks,
  referenceOf,
} from '../blocks/blockService.ts'
import type { FleetBlock, FleetChainService, MemberId } from '../interface.ts'
import type { MemberCalls } from '../nats/calls.ts'
import type { FleetNames } from '../nats/names.ts'
import type { FleetConnection } from '../nats/natsConnection.ts'

const SERVED_AT_ONCE = 2

export interface BlockExchangeOptions {
  readonly connection: FleetConnection
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly calls: MemberCalls
  readonly chain: FleetChainService
  readonly spec: NetworkSpec
  readonly environment: ChainEnvironment
  readonly reader: ChainStoreReader
  readonly logger: Logger
  /** Other members that may be asked for blocks, the best first. */
  others(): readonly MemberId[]
  /** A block is executed and durable here. */
  onExecuted(block: FleetBlock): void
  /** A block of the fleet is invalid here. */
  onRefused(refusal: BlockRefusal): void
  /** A message does not parse and is left out. */
  skipped(): void
}

/** The blocks that a member publishes, takes, asks for and gives (fleet.md §5). */
export class BlockExchange {
  readonly #service: BlockService
  readonly #publisher: BlockPublisher
  readonly #intake: BlockIntake
  readonly #consumer: BlockConsumer

  /** Answers other members from now on. */
  constructor(options: BlockExchangeOptions) {
    const { connection, jetstream, manager, names, calls, chain, spec, environment, reader, logger } = options
    const service = new BlockService(spec, environment, reader)
    this.#service = service
    this.#intake = new BlockIntake({
      ...{ chain, calls, logger, blocks: service },
      reference: (encoded) => referenceOf(spec, encoded),
      others: () => options.others(),
      onExecuted: (block) => options.onExecuted(block),
      onRefused: (refusal) => options.onRefused(refusal),
    })
    this.#publisher = new BlockPublisher({
      ...{ jetstream, names, logger },
      maxPayload: () => connection.maxPayload,
    })
    this.#consumer = new BlockConsumer({
      ...{ jetstream, manager, names, logger },
      take: (blocks) => this.#intake.take(blocks),
      skipped: () => options.skipped(),
    })
    calls.serve(
      BLOCKS_SERVICE,
      async (payload) => encodeBlocks(service.answer(decodeBlocksRequest(payload))),
      { concurrency: SERVED_AT_ONCE },
    )
  }

  /** Blocks that were published, and those that were left out because too many waited. */
  get counts(): { readonly published: number; readonly left: number } {
    return this.#publisher.counts
  }

  /** Takes blocks of the stream from now on. */
  start(): void {
    this.#consumer.start()
  }

  async stop(): Promise<void> {
    await this.#consumer.stop()
    this.#publisher.stop()
  }

  /** The connection was lost. */
  interrupt(): void {
    this.#consumer.interrupt()
  }

  /** @param encoded RLP of the block */
  publish(hash: Buffer, encoded: Buffer): void {
    this.#publisher.publish(hash, encoded)
  }

  /**
   * Publishes a block and those before it that are not canonical: a process that ended may not have come to it. The
   * stream drops what it has.
   */
  publishDownFrom(hash: Buffer): void {
    const { left } = this.counts
    for (const block of this.#service.besideCanonical(hash)) {
      this.#publisher.publish(block.hash, block.encoded)
      if (this.counts.left > left) return
    }
  }

  /** Asks other members for a block and those before it; resolves after a try. */
  fetch(hash: Buffer): Promise<void> {
    return this.#intake.fetch(hash)
  }
}
