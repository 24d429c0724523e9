import type { NetworkChoice } from '../../config/networks/configured.ts'
import { UpstreamError } from '../../fork/errors.ts'
import { assertSameFork, type ForkBase, isMissingMethod, type UpstreamSetup } from '../../fork/forkBase.ts'
import { type BranchEvidence, ForkPin } from '../../fork/forkPin.ts'
import { SharedStats } from '../../fork/sharedStats.ts'
import { Upstream, UpstreamRefusal } from '../../fork/upstream.ts'
import { UpstreamAddresses } from '../../fork/upstreamAddresses.ts'
import { quantity } from '../../fork/upstreamBlock.ts'
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
  readonly #pin: ForkPin
  /** Methods that the upstream does not have. */
  readonly #missing = new Set<string>()

  /** @param choice the network of the fork */
  constructor({ base, addresses, stats, patience }: UpstreamSetup, choice: NetworkChoice) {
    this.base = base
    this.patience = patience
    this.#addresses = new UpstreamAddresses(addresses)
    this.#stats = new SharedStats(stats)
    this.#upstream = new Upstream(this.#addresses, this.#stats)
    this.#pin = new ForkPin({ base, upstream: this.#upstream, stats: this.#stats })
    const upstream = new Upstream(this.#addresses, this.#stats)
    this.traces = new TracesBelow({ choice, base, upstream, stats: this.#stats, patience })
  }

  /** True when the upstream has left the branch of the fork: nothing more is read of it. */
  get isLeft(): boolean {
    return this.#stats.get('reorganised') > 0
  }

  get urls(): readonly string[] {
    return this.#addresses.urls
  }

  /** Hosts of the addresses, without what may be a key. */
  get upstreamName(): string {
    return this.#upstream.name
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
  async requestIfThere(
    method: string,
    params: readonly unknown[],
    evidence: (answer: unknown) => BranchEvidence,
  ): Promise<unknown> {
    if (this.#missing.has(method)) return undefined
    try {
      return await this.request(method, params, evidence)
    } catch (error) {
      if (!(error instanceof UpstreamAnswerError) || !isMissingMethod(error.refusal)) throw error
      this.#missing.add(method)
      return undefined
    }
  }

  /**
   * What the upstream answers of the branch of the fork.
   * @param evidence what the answer shows of the branch that it is of
   * @throws UpstreamAnswerError for an error of it, RpcError where there is no answer
   */
  async request(
    method: string,
    params: readonly unknown[],
    evidence: (answer: unknown) => BranchEvidence,
  ): Promise<unknown> {
    return await this.#asRpcErrors(() =>
      this.#pin.ask(() => this.#upstream.request(method, params), evidence),
    )
  }

  /**
   * What several requests find of the branch of the fork together.
   * @param ask with the function that sends a request
   * @throws as {@link request}
   */
  async requestAll<T>(
    ask: (request: (method: string, params: readonly unknown[]) => Promise<unknown>) => Promise<T>,
    evidence: (found: T) => BranchEvidence,
  ): Promise<T> {
    const request = (method: string, params: readonly unknown[]) => this.#upstream.request(method, params)
    return await this.#asRpcErrors(() => this.#pin.ask(() => ask(request), evidence))
  }

  /** Hash of the fork's branch at a height up to that of the fork; null where there is none. @throws as {@link request} */
  async hashAt(number: number): Promise<string | null> {
    return await this.#asRpcErrors(() => this.#pin.hashAt(number))
  }

  /** The way to name a block to the upstream for a read of its state. @throws as {@link request} */
  async stateAt(number: number): Promise<{ readonly block: unknown; readonly isByHash: boolean }> {
    const hash = this.base.servesHashes ? await this.hashAt(number) : null
    return hash === null
      ? { block: quantity(number), isByHash: false }
      : { block: { blockHash: hash, requireCanonical: true }, isByHash: true }
  }

  async #asRpcErrors<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof UpstreamRefusal) throw new UpstreamAnswerError(error)
      if (error instanceof UpstreamError)
        throw new RpcError('upstreamFailed', error.message, { cause: error })
      throw error
    }
  }
}
