import assert from 'node:assert/strict'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { MineRequest } from '../../../src/mining/blockProducer.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { type LiveNode, openLiveNode } from '../../support/liveNode.ts'
import { compareExchange, type Verdict } from '../compare.ts'
import { type Exchange, requestMethods, requestText } from '../exchanges.ts'
import type { ReplayConfig } from '../options/replayConfig.ts'
import { Mapping } from './mapping.ts'
import { type ComparedNotification, Notifications } from './notifications.ts'
import type { RecordedBlocks } from './recordedBlocks.ts'

/** Methods whose result is a name that each node makes up. */
const NAMING = /^(eth_new\w*Filter|eth_subscribe|personal_newAccount)$/
/** Methods whose result depends on such names. */
const DERIVED = /^(eth_sign|eth_sendTransaction|personal_sendTransaction)$/
/** What pools submit is mined elsewhere: the replay takes over the blocks that came of it. */
const POOL_WORK = /^mnr_(submit|getWork)/

/** Time that a request is taken to last, milliseconds: quotas grow with it. */
const REQUEST_TIME = 50
/** Seconds that the node's clock starts before the first block that answers show. */
const LEAD = 600
/** Exchanges after a block was made in which its time is looked for. */
const LOOK_AHEAD = 3

/** A recording replayed in order on one living node. */
export class Scenario {
  readonly #live: LiveNode
  readonly #blocks: RecordedBlocks
  readonly #mapping = new Mapping()
  /** Ids of snapshots by the recorded ones, which count from 1 after each reset. */
  readonly #snapshots = new Map<string, string>()
  /** The one WebSocket of the recording. */
  readonly #connection = new Notifications()
  /** The head that the recording has after the request that runs; null when it does not say. */
  #nextHead: string | null = null

  private constructor(live: LiveNode, blocks: RecordedBlocks) {
    this.#live = live
    this.#blocks = blocks
  }

  /**
   * @param blocks those of the recorded chain; what is not among them the node makes itself
   * @param exchanges all that will be replayed: the node's time begins before that of their blocks
   */
  static async open(
    { config, settings }: ReplayConfig,
    blocks: RecordedBlocks,
    exchanges: readonly Exchange[],
    onUnexpected: (method: string, error: unknown) => void,
  ): Promise<Scenario> {
    let scenario: Scenario | null = null
    const mine = async (request: MineRequest) => {
      await scenario?.mine(request)
    }
    const live = await openLiveNode(config, startOf(exchanges), mine, onUnexpected, settings)
    scenario = new Scenario(live, blocks)
    return scenario
  }

  /**
   * Asks a recorded request in its turn. null when there is nothing to compare.
   * @param later the exchanges after it
   */
  async step(exchange: Exchange, later: readonly Exchange[]): Promise<Verdict | null> {
    const text = asTheReferenceTakesIt(requestText(exchange))
    const [method = ''] = requestMethods(exchange)
    this.#nextHead = later.find(({ head }) => head !== undefined)?.head?.hash ?? null
    this.#live.clock.milliseconds += REQUEST_TIME
    if (text === null) return null
    if (POOL_WORK.test(method) && exchange.transport === 'http') {
      await this.#takeOverSubmission(exchange)
      return null
    }
    if (isWiderHere(exchange, method) || hasRunOutOfTime(exchange)) return null
    this.#setClock(exchange, later)
    const asked = await this.#live.service.ask(
      this.#ownSnapshot(method, exchange, this.#mapping.toOwn(text)),
      exchange.transport === 'ws' ? this.#connection : undefined,
    )
    await this.#followHead()
    this.#learn(exchange, method, asked.text)
    return compareExchange(exchange, { ...asked, text: this.#translate(exchange, asked.text) })
  }

  /** Makes the block that the recording has next: the recorded one, after checking it against our own. */
  async mine(request: MineRequest): Promise<void> {
    const { core } = this.#live.node
    const block = this.#nextHead === null ? null : this.#blocks.get(this.#nextHead)
    const known = block !== null && core.open.chain.head.hash.equals(block.header.parentHash)
    if (!known || block.uncles.length > 0) {
      if (block !== null && known) this.#connect(toHex(block.hash))
      else await core.mine(request)
      return
    }
    this.#live.clock.milliseconds = block.header.timestamp * 1000
    const built = core.pendingBlock().block
    // Which of several lists a transaction goes into, and in what order, is up to who makes the block.
    const metadata = ({ transactions, header }: Block) => ({
      transactions: transactions.map(({ hashHex }) => hashHex).sort(),
      gasUsed: header.fields.gasUsed,
      paidFees: header.fields.paidFees,
    })
    assert.deepEqual(metadata(built), metadata(block))
    this.#connect(toHex(block.hash))
    // In the reference seconds that were added count for one block (decisions.md D11).
    core.clock.reset()
  }

  /** Takes over a recorded notification. @returns whether it is one */
  take(exchange: Exchange): boolean {
    return this.#connection.take(exchange)
  }

  /** Everything that subscribers were told, at the end. */
  notifications(): ComparedNotification[] {
    return this.#connection.compare(this.#mapping, this.#blocks.isEmpty)
  }

  close(): Promise<void> {
    return this.#live.close()
  }

  #ownHead(): string {
    return toHex(this.#live.node.core.open.chain.head.hash)
  }

  /** After the request: our head is the recorded one, or takes its name. */
  async #followHead(): Promise<void> {
    const next = this.#nextHead
    const own = this.#ownHead()
    if (next === null || next === own || this.#mapping.toRecorded(own) === next) return
    if (this.#blocks.has(next)) this.#connect(next)
    else this.#mapping.learn(next, own)
  }

  /** Connects a recorded block with those below it that are not there yet. */
  #connect(hash: string): void {
    const { chain } = this.#live.node.core.open
    const missing: string[] = []
    for (let at = hash; chain.reader.totalDifficulty(Buffer.from(at.slice(2), 'hex')) === null; ) {
      missing.unshift(at)
      const block = this.#blocks.get(at)
      if (block === null) throw new Error(`block ${at} is not recorded`)
      at = toHex(block.header.parentHash)
    }
    for (const at of missing) {
      const block = this.#blocks.get(at)
      if (block === null) continue
      const { status } = chain.connect(block)
      if (!status.startsWith('IMPORTED')) throw new Error(`recorded block ${at}: ${status}`)
    }
  }

  async #takeOverSubmission({ response }: Exchange): Promise<void> {
    const hash = (response as { result?: { blockHash?: unknown } } | null)?.result?.blockHash
    if (typeof hash === 'string' && this.#blocks.has(hash)) this.#connect(hash)
    await this.#followHead()
  }

  /** The answer about the pending block, or about the block that is to be made, names its time. */
  #setClock(exchange: Exchange, later: readonly Exchange[]): void {
    const isMining = requestMethods(exchange).includes('evm_mine')
    const [named] = [exchange, ...(isMining ? later.slice(0, LOOK_AHEAD) : [])].flatMap(blockTimeOf)
    if (named === undefined) return
    this.#live.clock.milliseconds = (named - this.#live.node.core.clock.offset) * 1000
  }

  #learn({ response }: Exchange, method: string, text: string): void {
    const recorded = (response as { result?: unknown } | null)?.result
    const found = text === '' ? undefined : (JSON.parse(text) as { result?: unknown }).result
    if (method === 'evm_reset') this.#snapshots.clear()
    if (typeof recorded !== 'string' || typeof found !== 'string') return
    if (method === 'evm_snapshot') this.#snapshots.set(recorded, found)
    if (NAMING.test(method) || (DERIVED.test(method) && recorded.length === found.length)) {
      this.#mapping.learn(recorded, found)
    }
  }

  /** A request to go back to a snapshot, by its own id. */
  #ownSnapshot(method: string, { request }: Exchange, text: string): string {
    const { params } = (request ?? {}) as { params?: unknown }
    const id: unknown = Array.isArray(params) ? params[0] : undefined
    const own = method === 'evm_revert' && typeof id === 'string' ? this.#snapshots.get(id) : undefined
    return own === undefined ? text : text.replace(`"${id}"`, `"${own}"`)
  }

  #translate({ request, response }: Exchange, text: string): string {
    if (text === '') return text
    const found: unknown = JSON.parse(this.#mapping.toRecorded(text))
    const { params } = (request ?? {}) as { params?: unknown }
    const pending = Array.isArray(params) && params.includes('pending')
    return JSON.stringify(this.#mapping.align(response, found, pending || this.#blocks.isEmpty))
  }
}

/** A time before the blocks that answers show, milliseconds: no later than they were made, and not of today. */
function startOf(exchanges: readonly Exchange[]): number {
  const times = exchanges.flatMap(blockTimeOf).filter((time) => time > 0)
  return times.length === 0 ? Date.now() : (Math.min(...times) - LEAD) * 1000
}

/** Requests that the reference refuses and that would change the chain here. */
function isWiderHere({ request }: Exchange, method: string): boolean {
  const { params } = request as { params?: unknown }
  return method === 'evm_mine' && Array.isArray(params) && params.length > 0
}

/** Time limits need threads: they are tested over the pool. */
function hasRunOutOfTime({ response }: Exchange): boolean {
  return /Execution has got timeout out/.test(JSON.stringify(response))
}

/** Time of the block that an answer shows, seconds. */
function blockTimeOf({ response }: Exchange): number[] {
  const result = (response as { result?: { number?: unknown; timestamp?: unknown } } | null)?.result
  return typeof result?.timestamp === 'string' && result.number !== undefined
    ? [Number(result.timestamp)]
    : []
}

/**
 * The reference ignores `maxFeePerGas` (listed as a difference) and mined the transaction of price 0 that it made:
 * the recorded blocks are only made again with the same one in the pool.
 */
function asTheReferenceTakesIt(text: string | null): string | null {
  return text?.includes('"eth_sendTransaction"') && !text.includes('"gasPrice"')
    ? text.replace(/"maxFeePerGas":"0x[0-9a-f]+"/, '"gasPrice":"0x0"')
    : text
}
