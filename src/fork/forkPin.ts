import type { UpstreamError } from './errors.ts'
import { type ForkBase, hashAt, isMissingMethod } from './forkBase.ts'
import type { SharedStats } from './sharedStats.ts'
import { type Upstream, UpstreamRefusal } from './upstream.ts'
import { quantity } from './upstreamBlock.ts'
import { reorganised, unsteady } from './upstreamState.ts'

/** Blocks whose hashes are remembered. */
const MAX_KNOWN_BLOCKS = 4096
/** Times that something is asked while addresses change. */
const MAX_ATTEMPTS = 3
/** Others are no hashes, and what is remembered of an upstream's answers is to be of a known size. */
const BLOCK_HASH = /^0x[0-9a-f]{64}$/

/** A block that an answer names. */
export interface BlockNumHash {
  readonly number: number
  /** `0x` hex. */
  readonly hash: string
}

/** What an answer tells of the branch that it is of. */
export interface BranchEvidence {
  readonly blocks: readonly BlockNumHash[]
  /** True when hashes settle it: those of its blocks, or one that was asked for. */
  readonly isSettled: boolean
}

/** Of an answer that names no block. */
export const NO_EVIDENCE: BranchEvidence = { blocks: [], isSettled: false }

/** The branch of a fork, and what its answers are asked of. */
export interface ForkPinParts {
  readonly base: ForkBase
  readonly upstream: Upstream
  readonly stats: SharedStats
}

/**
 * Makes sure that answers about blocks below that of a fork are of its branch: by the hashes that they name, else by the
 * hash at the fork's height, which is asked again after them. After a reorganisation nothing is answered any more, in no
 * thread.
 */
export class ForkPin {
  readonly #parts: ForkPinParts
  /** Hashes of the branch by height; the oldest entry goes first. */
  readonly #known = new Map<number, string>()
  readonly #asked = new Map<number, Promise<string | null>>()
  /** The look that is under way, and the one that follows it. */
  #looking: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  constructor(parts: ForkPinParts) {
    this.#parts = parts
    const { number, hash, parentHash } = parts.base
    this.#learn([
      { number: number - 1, hash: parentHash },
      { number, hash },
    ])
  }

  /**
   * An answer about the fork's branch. Errors of the upstream are answers as well, except for methods that it has not.
   * @param ask sends what is to be asked
   * @param evidence what its result shows
   * @throws UpstreamError `REORGANISED`; what `ask` throws
   */
  async ask<T>(ask: () => Promise<T>, evidence: (answer: T) => BranchEvidence): Promise<T> {
    const { upstream } = this.#parts
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      this.#assertSteady()
      const { switches } = upstream
      const answer = await attempted(ask)
      const { blocks, isSettled } = 'refusal' in answer ? NO_EVIDENCE : evidence(answer.result)
      const below = blocks.filter(({ number }) => number <= this.#parts.base.number)
      const isKnown = below.map((block) => this.#compare(block)).every(Boolean)
      if (!isSettled || !isKnown) {
        await this.#lookAgain()
        // Another address may be on another branch.
        if (switches !== upstream.switches) continue
        this.#learn(below)
      }
      if ('refusal' in answer) throw answer.refusal
      return answer.result
    }
    throw unsteady()
  }

  /**
   * Hash of the branch at a height up to the fork's; null where the upstream has none.
   * @throws UpstreamError
   */
  async hashAt(number: number): Promise<string | null> {
    const known = this.#known.get(number)
    if (known !== undefined) return known
    const asked = this.#asked.get(number) ?? this.#askHash(number)
    this.#asked.set(number, asked)
    return await asked.finally(() => this.#asked.delete(number))
  }

  async #askHash(number: number): Promise<string | null> {
    const block = await this.ask(
      () => this.#parts.upstream.request('eth_getBlockByNumber', [quantity(number), false]),
      (answer) => ({ blocks: blocksNamedIn(answer), isSettled: answer !== null }),
    )
    return blocksNamedIn(block).find((named) => named.number === number)?.hash ?? null
  }

  /** Whether the branch is known to have a block. @throws UpstreamError where it has another one at that height */
  #compare({ number, hash }: BlockNumHash): boolean {
    const known = this.#known.get(number)
    if (known !== undefined && known !== hash) throw this.#stop()
    return known !== undefined
  }

  #assertSteady(): void {
    if (this.#parts.stats.get('reorganised') > 0) throw reorganised(this.#parts.base.number)
  }

  /** Whoever has an answer before the look begins shares it. */
  #lookAgain(): Promise<void> {
    this.#next ??= this.#lookAfter(this.#looking)
    return this.#next
  }

  async #lookAfter(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    this.#next = null
    this.#looking = this.#look()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { upstream, base } = this.#parts
    if ((await hashAt(upstream, base.number)) !== base.hash) throw this.#stop()
  }

  #stop(): UpstreamError {
    this.#parts.stats.add('reorganised', 1)
    return reorganised(this.#parts.base.number)
  }

  #learn(blocks: readonly BlockNumHash[]): void {
    for (const { number, hash } of blocks) this.#known.set(number, hash)
    for (const number of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN_BLOCKS) break
      this.#known.delete(number)
    }
  }
}

type Attempted<T> = { readonly result: T } | { readonly refusal: UpstreamRefusal }

async function attempted<T>(ask: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { result: await ask() }
  } catch (error) {
    if (!(error instanceof UpstreamRefusal) || isMissingMethod(error)) throw error
    return { refusal: error }
  }
}

/** The blocks that an answer says it is of: a block with its parent, or what lies in blocks, or a list of such. */
export function blocksNamedIn(answer: unknown): BlockNumHash[] {
  const list: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  const blocks = new Map<string, BlockNumHash>()
  for (const one of list) {
    const { number, hash, parentHash, blockNumber, blockHash } = (one ?? {}) as Record<string, unknown>
    for (const named of [
      blockNumHash(blockNumber, blockHash),
      ...(blockHash === undefined ? [blockNumHash(number, hash), blockNumHash(number, parentHash, 1)] : []),
    ]) {
      if (named !== null) blocks.set(`${named.number} ${named.hash}`, named)
    }
  }
  return [...blocks.values()]
}

function blockNumHash(number: unknown, hash: unknown, below = 0): BlockNumHash | null {
  const isHeight = typeof number === 'number' || (typeof number === 'string' && /^0x[0-9a-f]+$/i.test(number))
  const height = Number(number) - below
  if (!isHeight || typeof hash !== 'string' || !BLOCK_HASH.test(hash)) return null
  if (!Number.isSafeInteger(height) || height < 0) return null
  return { number: height, hash }
}
