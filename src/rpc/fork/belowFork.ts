import { UpstreamError } from '../../fork/errors.ts'
import type { ForkBase, UpstreamSetup } from '../../fork/forkBase.ts'
import { SharedStats } from '../../fork/sharedStats.ts'
import { Upstream, UpstreamRefusal } from '../../fork/upstream.ts'
import { quantity } from '../../fork/upstreamBlock.ts'
import type { NodeContext } from '../context.ts'
import type { MethodDefinition } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { RawJson, type RpcResult } from '../json.ts'
import type { Preferences } from '../preferences.ts'
import { FORK_RULES, type ForkRule } from './forkRules.ts'
import { hashOf, selectorOf, UpstreamAnswerError } from './forkSelectors.ts'
import { logsAcrossFork } from './logsAcrossFork.ts'

/** A request of a method that has rules on forks. */
export interface ForkRequest {
  readonly context: NodeContext
  readonly method: MethodDefinition
  readonly values: readonly unknown[]
  readonly preferences: Preferences
}

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

  /**
   * The answer of the upstream, or one that it takes part in; null where the request is one for this chain alone.
   * @throws RpcError for what a fork cannot know
   */
  answer(request: ForkRequest): Promise<RpcResult> | null {
    const rule = FORK_RULES[request.method.name]
    return rule === undefined ? null : this.#answer(rule, request)
  }

  #answer(rule: ForkRule, request: ForkRequest): Promise<RpcResult> | null {
    const { context, method, values } = request
    switch (rule.kind) {
      case 'unknown':
        throw new RpcError('upstreamFailed', `${method.name} is not there on a fork: ${rule.reason}`)
      case 'block':
      case 'state': {
        const selector = selectorOf(values[rule.at])
        if (Buffer.isBuffer(selector) && context.chain.headerByHash(selector) === null) {
          return this.#atHash(request, rule.at, selector)
        }
        const number = this.#numberOf(context, selector)
        if (number === null || number > this.base.number - (rule.kind === 'state' ? 1 : 0)) return null
        const params = [...values]
        params[rule.at] = quantity(number)
        return this.#ask(method.name, params)
      }
      case 'blockHash': {
        const hash = hashOf(values[0])
        const known = hash === null ? null : context.chain.headerByHash(hash)
        if (hash === null || (known !== null && known.number > this.base.number)) return null
        return this.#ask(method.name, values)
      }
      case 'transaction':
        return this.#transaction(request, rule.isTrace === true)
      case 'logs':
        return logsAcrossFork(this, request)
    }
  }

  /** Height of the block that a selector names; null where it names none, or the pending one. */
  #numberOf({ chain }: NodeContext, selector: ReturnType<typeof selectorOf>): number | null {
    if (selector === 'pending' || selector === null) return null
    if (selector === 'latest') return chain.head().number
    return typeof selector === 'number' ? selector : (chain.headerByHash(selector)?.number ?? null)
  }

  /** Not every node gives states by hash: the block is named by its number. */
  async #atHash(request: ForkRequest, at: number, hash: Buffer): Promise<RpcResult> {
    const { context, method, values, preferences } = request
    const text = `0x${hash.toString('hex')}`
    const block = (await this.request('eth_getBlockByHash', [text, false])) as { number?: unknown } | null
    const number = block?.number
    const canonical = this.isBelow(number)
      ? await this.request('eth_getBlockByNumber', [number, false])
      : null
    if ((canonical as { hash?: unknown } | null)?.hash !== text) {
      return (await method.run(context, values, preferences)) as RpcResult
    }
    const params = [...values]
    params[at] = number
    return await this.#ask(method.name, params)
  }

  async #transaction(
    { context, method, values, preferences }: ForkRequest,
    isTrace: boolean,
  ): Promise<RpcResult> {
    const hash = hashOf(values[0])
    const isLocal = hash !== null && context.chain.locateTransaction(hash) !== null
    if (hash === null || isLocal) return (await method.run(context, values, preferences)) as RpcResult
    if (!isTrace) {
      const local = (await method.run(context, values, preferences)) as RpcResult
      if (local !== null) return local
    }
    const found = (await this.request('eth_getTransactionByHash', [values[0]])) as {
      blockNumber?: unknown
    } | null
    // The upstream goes on, and this chain does not with it.
    if (found === null || !this.isBelow(found.blockNumber)) {
      return isTrace ? ((await method.run(context, values, preferences)) as RpcResult) : null
    }
    if (method.name === 'eth_getTransactionByHash') return new RawJson(JSON.stringify(found))
    return await this.#ask(method.name, values)
  }

  async #ask(method: string, params: readonly unknown[]): Promise<RpcResult> {
    const result = await this.request(method, params)
    const { number, blockNumber } = (result ?? {}) as { number?: unknown; blockNumber?: unknown }
    const height = number ?? blockNumber
    return height === undefined || this.isBelow(height) ? new RawJson(JSON.stringify(result ?? null)) : null
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
