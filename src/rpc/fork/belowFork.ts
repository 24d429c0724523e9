import { UpstreamError } from '../../fork/errors.ts'
import type { ForkBase, UpstreamSetup } from '../../fork/forkBase.ts'
import { SharedStats } from '../../fork/sharedStats.ts'
import { Upstream, UpstreamRefusal } from '../../fork/upstream.ts'
import { RpcError } from '../errors.ts'
import { UpstreamAnswerError } from './forkSelectors.ts'

/** The blocks and states below the one that a chain goes on from: its network answers for them. */
export class BelowFork {
  readonly base: ForkBase
  readonly urls: readonly string[]
  /** Milliseconds that a request waits for state. */
  readonly patience: number
  readonly #upstream: Upstream

  constructor({ base, urls, stats, patience }: UpstreamSetup) {
    this.base = base
    this.urls = urls
    this.patience = patience
    this.#upstream = new Upstream(urls, new SharedStats(stats))
  }

  /** True when a height of an answer is at most that of the fork. */
  isBelow(height: unknown): boolean {
    return typeof height === 'string' && Number(height) <= this.base.number
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
