import { randomBytes } from 'node:crypto'
import type { Block } from '../../src/chain/codec/block.ts'
import { encodeExtension } from '../../src/chain/codec/headerExtension.ts'
import type {
  BodyExtension,
  ChainStatus,
  PeerMessage,
  PeerRequest,
  PeerResponse,
  ResponseTo,
} from '../../src/p2p/messages/rskMessage.ts'
import { type Peer, PeerRequestError } from '../../src/p2p/peer.ts'
import type { ScoreEventName } from '../../src/p2p/scoring/scoreEvents.ts'

/** An answer without its id. */
export type Reply = PeerResponse extends infer R ? (R extends PeerResponse ? Omit<R, 'id'> : never) : never

/** An answer, silence, or what an honest peer would say (undefined). */
export type Misbehaviour = (question: PeerRequest) => Reply | 'silent' | undefined | Promise<undefined>

/** How a peer is. */
export interface FakePeerOptions {
  readonly address?: string
  readonly trusted?: boolean
  readonly snap?: boolean
  readonly ranges?: boolean
  readonly misbehave?: Misbehaviour
  /** Questions that it may be asked in all. */
  readonly allowance?: number
  /** Total difficulty that it claims instead of its own. */
  readonly claims?: bigint
  /** Height of the best block that it claims instead of its own; nobody has that block. */
  readonly claimsNumber?: number
}

const CHUNK = 192
let made = 0

/** A peer in memory that has a chain, answers as the reference does (p2p.md §4, §5) unless a test wants something else. */
export class FakePeer implements Peer {
  readonly id: string
  readonly address: string
  readonly port = 5050
  readonly inbound = false
  readonly trusted: boolean
  readonly client = 'fake'
  readonly snap: boolean
  readonly ranges: boolean
  status: (ChainStatus & { readonly receivedAt: number }) | null = null
  readonly scores: ScoreEventName[] = []
  readonly asked: PeerRequest['type'][] = []
  readonly sent: PeerMessage[] = []
  /** Set when it was disconnected or punished. */
  isGone = false
  onGone: (peer: FakePeer) => void = () => undefined
  onSent: (message: PeerMessage) => void = () => undefined
  misbehave: Misbehaviour
  #left: number
  #canonical: Block[] = []
  readonly #byHash = new Map<string, Block>()
  readonly #claims: bigint | undefined
  readonly #claimsNumber: number | undefined

  /** @param chain blocks from genesis on, without a gap */
  constructor(chain: readonly Block[], options: FakePeerOptions = {}) {
    made += 1
    this.id = made.toString(16).padStart(128, '0')
    this.address = options.address ?? `10.${made}.0.1`
    this.trusted = options.trusted ?? false
    this.snap = options.snap ?? false
    this.ranges = options.ranges ?? false
    this.misbehave = options.misbehave ?? (() => undefined)
    this.#left = options.allowance ?? 1_000_000
    this.#claims = options.claims
    this.#claimsNumber = options.claimsNumber
    this.follow(chain)
  }

  get allowance(): number {
    return this.isGone ? 0 : this.#left
  }

  set allowance(left: number) {
    this.#left = left
  }

  /** Gives it another chain; blocks that it had stay known by hash. */
  follow(chain: readonly Block[]): void {
    this.#canonical = [...chain]
    for (const block of chain) this.#byHash.set(block.hashHex, block)
    const tip = chain.at(-1) as Block
    this.status = {
      bestNumber: this.#claimsNumber ?? tip.number,
      bestHash: this.#claimsNumber === undefined ? tip.hash : randomBytes(32),
      bestParentHash: tip.header.parentHash,
      totalDifficulty: this.#claims ?? chain.reduce((sum, block) => sum + block.cumulativeDifficulty, 0n),
      receivedAt: Number.MAX_SAFE_INTEGER,
    }
  }

  /** How often it was asked something. */
  count(type: PeerRequest['type']): number {
    return this.asked.filter((asked) => asked === type).length
  }

  async request<Q extends PeerRequest>(
    question: Omit<Q, 'id'> & { type: Q['type'] },
    timeout: number,
  ): Promise<ResponseTo<Q>> {
    if (this.isGone) throw new PeerRequestError('GONE', 'gone')
    if (this.#left <= 0) throw new PeerRequestError('BUSY', 'no messages left')
    this.#left -= 1
    this.asked.push(question.type)
    await new Promise((resolve) => setImmediate(resolve))
    const full = { ...question, id: 1n } as unknown as PeerRequest
    const answer = (await this.misbehave(full)) ?? this.#answer(full) ?? 'silent'
    if (this.isGone) throw new PeerRequestError('GONE', 'gone')
    if (answer === 'silent') {
      await new Promise((resolve) => setTimeout(resolve, timeout).unref())
      this.score('timeoutMessage')
      throw new PeerRequestError('TIMEOUT', 'silent')
    }
    return { id: 1n, ...answer } as unknown as ResponseTo<Q>
  }

  send(message: PeerMessage): boolean {
    this.sent.push(message)
    setImmediate(() => this.onSent(message))
    return true
  }

  score(event: ScoreEventName): void {
    this.scores.push(event)
    if (['invalidBlock', 'invalidMessage', 'invalidHeader'].includes(event)) this.disconnect()
  }

  disconnect(): void {
    if (this.isGone) return
    this.isGone = true
    this.onGone(this)
  }

  /** RLP of a block that it knows. */
  blockOf(hash: Buffer): Buffer | null {
    return this.#byHash.get(hash.toString('hex'))?.encoded ?? null
  }

  #answer(question: PeerRequest): Reply | null {
    const best = this.#canonical.length - 1
    switch (question.type) {
      case 'blockHashRequest': {
        const block = question.height > 0 ? this.#canonical[question.height] : undefined
        return block === undefined ? null : { type: 'blockHashResponse', hash: block.hash }
      }
      case 'skeletonRequest': {
        if (question.startNumber > best) return null
        const grid = Math.floor(question.startNumber / CHUNK) * CHUNK
        const numbers: number[] = []
        for (let number = grid; number < Math.min(best, grid + 20 * CHUNK); number += CHUNK)
          numbers.push(number)
        numbers.push(Math.min(best, (numbers.at(-1) ?? grid) + CHUNK))
        const blocks = numbers.map((number) => ({ number, hash: (this.#canonical[number] as Block).hash }))
        return { type: 'skeletonResponse', blocks }
      }
      case 'blockHeadersRequest': {
        const headers = this.#downFrom(question.hash, question.count).map((b) => b.header.encodedCompressed)
        return question.count > CHUNK || headers.length === 0
          ? null
          : { type: 'blockHeadersResponse', headers }
      }
      case 'bodyRequest': {
        const block = this.#byHash.get(question.hash.toString('hex'))
        return block === undefined ? null : { type: 'bodyResponse', ...bodyOf(block) }
      }
      case 'blockRequest': {
        const block = this.blockOf(question.hash)
        return block === null ? null : { type: 'blockResponse', block }
      }
      case 'snapBlocksRequest': {
        const blocks = this.#canonical.slice(Math.max(1, question.blockNumber - 400), question.blockNumber)
        const encoded = blocks.map((block) => block.encoded)
        return { type: 'snapBlocksResponse', blocks: encoded, totalDifficulties: encoded.map(() => 1n) }
      }
      case 'blockRangeRequest': {
        const blocks = this.#downFrom(question.hash, question.count).reverse()
        return { type: 'blockRangeResponse', blocks: blocks.map((block) => block.encoded) }
      }
      default:
        return null
    }
  }

  #downFrom(hash: Buffer, count: number): Block[] {
    const found: Block[] = []
    let block = this.#byHash.get(hash.toString('hex'))
    while (block !== undefined && found.length < count) {
      found.push(block)
      block = this.#byHash.get(block.header.parentHash.toString('hex'))
    }
    return found
  }
}

/** What type 15 says of a block. */
export function bodyOf(block: Block): {
  transactions: Buffer[]
  uncles: Buffer[]
  extension: BodyExtension | null
} {
  const { extension } = block.header
  return {
    transactions: block.transactions.map((transaction) => transaction.encoded),
    uncles: block.uncles.map((uncle) => uncle.encodedFull),
    extension: extension && { version: extension.version, data: encodeExtension(extension) },
  }
}
