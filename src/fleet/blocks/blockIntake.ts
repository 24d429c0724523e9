import type { Logger } from '../../observe/logger.ts'
import type { BlockReference } from '../../storage/blockKey.ts'
import type { BlockRefusal } from '../../sync/syncChain.ts'
import type { FleetBlock, FleetChainService, MemberId } from '../interface.ts'
import type { MemberCalls } from '../nats/calls.ts'
import type { ComingBlock } from './blockConsumer.ts'
import {
  BLOCKS_ANSWER_BYTES,
  BLOCKS_SERVICE,
  type BlockService,
  type BlocksRequest,
  decodeBlocks,
  encodeBlocksRequest,
} from './blockService.ts'

/** For one answer, milliseconds. */
const CALL_TIME = 10_000
/** Pause when nobody has the blocks, milliseconds. */
const PAUSE = 500

export interface BlockIntakeOptions {
  readonly chain: Pick<FleetChainService, 'connect' | 'executed' | 'heaviest'>
  readonly calls: Pick<MemberCalls, 'call'>
  readonly blocks: Pick<BlockService, 'known'>
  readonly logger: Logger
  /** Height and hash of a block by its header; null where it cannot be read. */
  reference(encoded: Buffer): BlockReference | null
  /** Other members that may be asked, the best first. */
  others(): readonly MemberId[]
  /** A block is executed and durable here. */
  onExecuted(block: FleetBlock): void
  /** A block of the fleet is invalid here. */
  onRefused(refusal: BlockRefusal): void
}

/** Validates and executes blocks of other members as if a peer had sent them, and asks for those that lack (fleet.md §5). */
export class BlockIntake {
  readonly #options: BlockIntakeOptions
  #fetching: Promise<void> | null = null

  constructor(options: BlockIntakeOptions) {
    this.#options = options
  }

  /** Connects blocks of the stream; those that are known are left out. */
  async take(blocks: readonly ComingBlock[]): Promise<void> {
    const { chain } = this.#options
    const known = await Promise.all(blocks.map(({ hash }) => chain.executed(hash)))
    const unknown = blocks.filter((_, index) => known[index] === null)
    if (unknown.length === 0) return
    const missing = await this.#connect(unknown)
    if (missing !== null) await this.fetch(missing)
  }

  /** Asks other members for a block and those before it; resolves after a try. */
  fetch(target: Buffer): Promise<void> {
    this.#fetching ??= this.#fetch(target).finally(() => {
      this.#fetching = null
    })
    return this.#fetching
  }

  async #fetch(target: Buffer): Promise<void> {
    const { chain, logger, others } = this.#options
    for (const member of others()) {
      try {
        await this.#fetchFrom(member, target)
        if ((await chain.executed(target)) !== null) return
      } catch (error) {
        logger.debug({ err: error, member }, 'a member gives no blocks')
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }

  /** While blocks are executed, the member is asked for those after them. */
  async #fetchFrom(member: MemberId, target: Buffer): Promise<void> {
    const { chain, blocks, reference } = this.#options
    const known = blocks.known((await chain.heaviest()).hash)
    let asking: Promise<readonly Buffer[]> | null = this.#ask(member, { target, known })
    let height = 0
    while (asking !== null) {
      const answer: readonly Buffer[] = await asking
      const newest = answer.at(-1)
      const last = newest === undefined ? null : reference(newest)
      // Blocks that are known can come again, but whoever sends no higher ones has nothing to give.
      if (last === null || last.number <= height) return
      height = last.number
      asking = last.hash.equals(target)
        ? null
        : this.#ask(member, { target, known: [last.hash, ...known.slice(1)] })
      asking?.catch(() => undefined)
      await this.#connectAnswer(answer)
      if ((await chain.executed(last.hash)) === null) return
    }
  }

  async #ask(member: MemberId, request: BlocksRequest): Promise<readonly Buffer[]> {
    const { calls } = this.#options
    const options = { milliseconds: CALL_TIME, limit: BLOCKS_ANSWER_BYTES }
    return decodeBlocks(await calls.call(member, BLOCKS_SERVICE, encodeBlocksRequest(request), options))
  }

  async #connectAnswer(encoded: readonly Buffer[]): Promise<void> {
    const { chain, onRefused } = this.#options
    for (const outcome of await chain.connect(encoded))
      if (outcome.status === 'INVALID_BLOCK') onRefused(outcome.refusal)
  }

  /** @returns hash of a block whose parent lacks */
  async #connect(blocks: readonly ComingBlock[]): Promise<Buffer | null> {
    const { chain, onExecuted, onRefused } = this.#options
    let missing: Buffer | null = null
    let first = 0
    // A call ends with the first block that is not connected; those after it are offered again.
    while (first < blocks.length) {
      const rest = blocks.slice(first)
      const outcomes = await chain.connect(rest.map(({ encoded }) => encoded))
      if (outcomes.length === 0) return missing
      for (const [index, outcome] of outcomes.entries()) {
        const block = rest[index]
        if (block === undefined) break
        if (outcome.status === 'INVALID_BLOCK') onRefused(outcome.refusal)
        if (outcome.status === 'NO_PARENT') missing = block.hash
        const executed = await chain.executed(block.hash)
        if (executed !== null) onExecuted(executed)
      }
      first += outcomes.length
    }
    return missing
  }
}
