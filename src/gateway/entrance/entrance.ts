import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { REQUEST_RECORD, REQUEST_WORDS } from '../../native/nativeFastPath.ts'
import type { RpcError } from '../../rpc/errors.ts'
import { namedBlocks } from '../../rpc/namedBlocks.ts'
import type { BlockName } from '../../rpc/params/param.ts'
import { kindAt, methodAt, RequestRecord } from '../envelope/requestRecord.ts'
import type { Exchange } from '../exchange.ts'
import type { FastPath } from '../fastPath/fastPath.ts'
import type { Router } from '../router.ts'
import type { TickSnapshot } from '../tickSnapshot.ts'
import { AnnouncedBlocks } from './announcedBlocks.ts'
import {
  type BlockNeed,
  type BlockWaitStats,
  BlockWaits,
  blockNotHere,
  blockNotReached,
} from './blockWaits.ts'
import type { FrontHead } from './frontHead.ts'
import { type BodySink, HeldBytes } from './heldBodies.ts'

/**
 * Milliseconds after which announced blocks of another node are forgotten: nodes announce theirs again in a third of
 * that.
 */
const RENEWED_MILLISECONDS = 1500

/** The parts of an entrance. */
export interface EntranceParts {
  readonly router: Router
  /** The bodies as the native core has parsed them. */
  readonly fast: FastPath
  readonly snapshot: TickSnapshot
  /** The head that this thread answers at; null in tests of the envelope. */
  readonly head: FrontHead | null
  /** Answers a body whose blocks are there. */
  readonly answer: BodySink
  /** Answers every request of a body with an error. */
  readonly refuse: (body: ArrayBuffer | Buffer, exchange: Exchange, error: RpcError) => void
}

/**
 * Has bodies wait for blocks that they ask for or name, before any of their requests is charged. Nobody calls it for a
 * body without a minimum block as long as no block is announced that this node lacks.
 */
export class Entrance {
  /** The blocks that other nodes have. */
  readonly announced: AnnouncedBlocks
  readonly #parts: EntranceParts
  readonly #waits: BlockWaits
  /** Time at which other nodes announced their blocks last, milliseconds of `performance.now()`. */
  #announcedAt = 0

  constructor(parts: EntranceParts) {
    const { snapshot, head, answer, refuse } = parts
    this.#parts = parts
    this.#waits = new BlockWaits(new HeldBytes(), answer, ({ body, exchange }, error) =>
      refuse(body, exchange, error),
    )
    this.announced = new AnnouncedBlocks({
      get height() {
        return head?.block.number ?? 0
      },
      has: (hash) => {
        snapshot.take()
        return snapshot.context.chain.headerByHash(hash) !== null
      },
    })
  }

  /** Bodies that wait. */
  get waiting(): number {
    return this.#waits.waiting
  }

  get stats(): BlockWaitStats {
    return this.#waits.stats
  }

  /** Looks anew what is lacking: the head changed, or a block was executed. */
  look(): void {
    this.announced.look()
    this.#waits.look()
  }

  /** Other nodes of the same service have these blocks, and no more of those before. */
  announce(blocks: readonly BlockReference[]): void {
    this.#announcedAt = performance.now()
    this.announced.replace(blocks)
    this.#waits.look()
  }

  /** Answers what waits with an error. */
  abandon(error: RpcError): void {
    this.#waits.abandon(error)
  }

  /** Has a body wait until the head has a height; false when it has it. */
  awaitsHead(number: number, body: ArrayBuffer | Buffer, exchange: Exchange): boolean {
    const { head } = this.#parts
    const isMet = () => head === null || head.block.number >= number
    if (isMet()) return false
    this.#add({ isMet, late: () => blockNotReached(number) }, body, exchange)
    return true
  }

  /** Has a body that was just parsed wait for blocks that it names and other nodes have; false when it need not. */
  awaitsNamed(body: Buffer, exchange: Exchange): boolean {
    const lacking = this.#lackingOf(body)
    if (lacking.length === 0) return false
    const isMet = () => !lacking.some((name) => this.announced.lacks(name))
    this.#add({ isMet, late: () => this.#lateError() }, body, exchange)
    return true
  }

  /** The blocks that the requests of a body name, other nodes have and this one lacks. */
  #lackingOf(bytes: Buffer): BlockName[] {
    const { fast, router } = this.#parts
    const words = fast.records()
    const lacking: BlockName[] = []
    for (let at = 0; at < fast.recordWords; ) {
      if (kindAt(words, at) !== REQUEST_RECORD) {
        at += 1
        continue
      }
      const route = router.routesByIndex[methodAt(words, at)]
      if (route !== undefined) {
        const names = namedBlocks(route.definition, new RequestRecord(words, at, bytes).params)
        lacking.push(...names.filter((name) => this.announced.lacks(name)))
      }
      at += REQUEST_WORDS
    }
    return lacking
  }

  #add(need: BlockNeed, body: ArrayBuffer | Buffer, exchange: Exchange): void {
    const refusal = this.#waits.add(need, body, exchange)
    if (refusal !== null) this.#parts.refuse(body, exchange, refusal)
  }

  /** Nodes that are there announce their blocks again and again. Blocks of others are not waited for any more. */
  #lateError(): RpcError | null {
    if (performance.now() - this.#announcedAt < RENEWED_MILLISECONDS) return blockNotHere()
    this.announced.replace([])
    return null
  }
}
