import type { NetworkChoice } from '../../config/networks/configured.ts'
import { UpstreamError } from '../../fork/errors.ts'
import { assertSameFork, type ForkBase, isMissingMethod, type UpstreamSetup } from '../../fork/forkBase.ts'
import { SharedStats } from '../../fork/sharedStats.ts'
import { Upstream, UpstreamRefusal } from '../../fork/upstream.ts'
import { UpstreamAddresses } from '../../fork/upstreamAddresses.ts'
import { RpcError } from '../errors.ts'
import { UpstreamAnswerError } from './forkSelectors.ts'
import { TracesBelow } from './tracesBelow.ts'

/** The blocks and states below the one that a chain goes on from: its network answers for them. */
export class BelowFork {
  readonly base: ForkBase
  /** Milliseconds that a request waits for state. */
  readonly patience: number
  readonly #addresses: UpstreamAddresses
  readonly #stats: SharedStats
  /** Traces that are made here. */
  readonly traces: TracesBelow
  readonly #upstream: Upstream
  /** Methods that the upstream does not have. */
  readonly #missing = new Set<string>()

  /** @param choice the network of the fork */
  constructor({ base, addresses, stats, patience }: UpstreamSetup, choice: NetworkChoice) {
    this.base = base
    this.patience = patience
    this.#addresses = new UpstreamAddresses(addresses)
    this.#stats = new SharedStats(stats)
    this.#upstream = new Upstream(this.#addresses, this.#stats)
    const upstream = new Upstream(this.#addresses, this.#stats)
    this.traces = new TracesBelow({ choice, base, upstream, stats: this.#stats, patience })
  }

  get urls(): readonly string[] {
    return this.#addresses.urls
  }

  /**
   * Asks other addresses of the same network from now on, in all threads. To be called in one of them only.
   * @param genesisHash `0x` hex
   * @throws UpstreamError where one of them is of another chain, does not answer, or cannot what the first one can; then
   * nothing changes
   * @throws RangeError where they are too long
   */
  async replaceUpstream(urls: readonly string[], genesisHash: string): Promise<void> {
    for (const url of urls) await assertSameFork(new Upstream([url], this.#stats), this.base, genesisHash)
    this.#addresses.replace(urls)
  }

  /** True when a height of an answer is at most that of the fork. */
  isBelow(height: unknown): boolean {
    return typeof height === 'string' && Number(height) <= this.base.number
  }

  /**
   * What the upstream answers; undefined where it does not have the method.
   * @throws as {@link request}
   */
  async requestIfThere(method: string, params: readonly unknown[]): Promise<unknown> {
    if (this.#missing.has(method)) return undefined
    try {
      return await this.request(method, params)
    } catch (error) {
      if (!(error instanceof UpstreamAnswerError) || !isMissingMethod(error.refusal)) throw error
      this.#missing.add(method)
      return undefined
    }
  }

  /**
   * What the upstream answers.
   * @throws UpstreamAnswerError for an error of it, RpcError where there is no answer
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#upstream.request(method, params)
    } catch (error) {
      if (error instanceof UpstreamRefusal) throw new UpstreamAnswerError(error)
      if (error instanceof UpstreamError)
        throw new RpcError('upstreamFailed', error.message, { cause: error })
      throw error
    }
  }
}
