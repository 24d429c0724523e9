import { UpstreamError } from '../../fork/errors.ts'
import { quantity } from '../../fork/upstreamBlock.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { RawJson, type RpcResult } from '../json.ts'
import type { BelowFork } from './belowFork.ts'
import type { ForkRequest } from './forkRequest.ts'
import { FORK_RULES, type ForkRule } from './forkRules.ts'
import { hashOf, selectorOf } from './forkSelectors.ts'
import { logsAcrossFork } from './logsAcrossFork.ts'

/**
 * The answer of the upstream, or one that it takes part in; null where the request is one for this chain alone.
 * @throws RpcError for what a fork cannot know
 */
export function answerBelow(below: BelowFork, request: ForkRequest): Promise<RpcResult> | null {
  const rule = FORK_RULES[request.method.name]
  return rule === undefined ? null : answerByRule(below, rule, request)
}

function answerByRule(below: BelowFork, rule: ForkRule, request: ForkRequest): Promise<RpcResult> | null {
  const { context, method, values } = request
  switch (rule.kind) {
    case 'unknown':
      throw new RpcError('upstreamFailed', `${method.name} is not there on a fork: ${rule.reason}`)
    case 'block':
    case 'state': {
      const selector = selectorOf(values[rule.at])
      if (Buffer.isBuffer(selector) && context.chain.headerByHash(selector) === null) {
        return atHash(below, request, rule.at, selector)
      }
      const number = numberOf(context, selector)
      if (number === null || number > below.base.number - (rule.kind === 'state' ? 1 : 0)) return null
      const params = [...values]
      params[rule.at] = quantity(number)
      if (rule.isTrace !== true) return ask(below, method.name, params)
      // The state of a block is what the one above it is executed on.
      return trace(below, request, params, rule.kind === 'state' ? number + 1 : number)
    }
    case 'blockHash': {
      const hash = hashOf(values[0])
      const known = hash === null ? null : context.chain.headerByHash(hash)
      if (hash === null || (known !== null && known.number > below.base.number)) return null
      return rule.isTrace === true ? traceAtHash(below, request, hash) : ask(below, method.name, values)
    }
    case 'transaction':
      return transaction(below, request, rule.isTrace === true)
    case 'logs':
      return logsAcrossFork(below, request)
  }
}

/** Height of the block that a selector names; null where it names none, or the pending one. */
function numberOf({ chain }: NodeContext, selector: ReturnType<typeof selectorOf>): number | null {
  if (selector === 'pending' || selector === null) return null
  if (selector === 'latest') return chain.head().number
  return typeof selector === 'number' ? selector : (chain.headerByHash(selector)?.number ?? null)
}

/** Not every node gives states by hash: the block is named by its number. */
async function atHash(below: BelowFork, request: ForkRequest, at: number, hash: Buffer): Promise<RpcResult> {
  const { context, method, values, preferences } = request
  const number = await canonicalNumber(below, hash)
  if (number === null) return (await method.run(context, values, preferences)) as RpcResult
  const params = [...values]
  params[at] = number
  return await ask(below, method.name, params)
}

/** Height, as JSON-RPC writes it, of a block of the upstream's chain up to that of the fork; null for another one. */
async function canonicalNumber(below: BelowFork, hash: Buffer): Promise<string | null> {
  const text = toHex(hash)
  const block = (await below.request('eth_getBlockByHash', [text, false])) as { number?: unknown } | null
  const number = block?.number
  if (typeof number !== 'string' || !below.isBelow(number)) return null
  const canonical = await below.request('eth_getBlockByNumber', [number, false])
  return (canonical as { hash?: unknown } | null)?.hash === text ? number : null
}

async function transaction(below: BelowFork, request: ForkRequest, isTrace: boolean): Promise<RpcResult> {
  const { context, method, values, preferences } = request
  const hash = hashOf(values[0])
  const isLocal = hash !== null && context.chain.locateTransaction(hash) !== null
  if (hash === null || isLocal) return (await method.run(context, values, preferences)) as RpcResult
  if (!isTrace) {
    const local = (await method.run(context, values, preferences)) as RpcResult
    if (local !== null) return local
  }
  const found = (await below.request('eth_getTransactionByHash', [values[0]])) as {
    blockNumber?: unknown
  } | null
  // The upstream goes on, and this chain does not with it.
  if (found === null || !below.isBelow(found.blockNumber)) {
    return isTrace ? ((await method.run(context, values, preferences)) as RpcResult) : null
  }
  if (method.name === 'eth_getTransactionByHash') return new RawJson(JSON.stringify(found))
  if (isTrace) return await trace(below, request, values, Number(found.blockNumber))
  return await ask(below, method.name, values)
}

/** A trace of the upstream's, or one that is made here. Genesis has none, here and there. */
async function trace(
  below: BelowFork,
  request: ForkRequest,
  values: readonly unknown[],
  number: number,
): Promise<RpcResult> {
  const { context, method, preferences } = request
  const result = await below.requestIfThere(method.name, values)
  if (result !== undefined) return new RawJson(JSON.stringify(result))
  if (number === 0) return (await method.run(context, values, preferences)) as RpcResult
  try {
    return await below.traces.run(request, values, number)
  } catch (error) {
    if (error instanceof UpstreamError) throw new RpcError('upstreamFailed', error.message, { cause: error })
    throw error
  }
}

async function traceAtHash(below: BelowFork, request: ForkRequest, hash: Buffer): Promise<RpcResult> {
  const { context, method, values, preferences } = request
  const number = await canonicalNumber(below, hash)
  if (number === null) return (await method.run(context, values, preferences)) as RpcResult
  return await trace(below, request, values, Number(number))
}

async function ask(below: BelowFork, method: string, params: readonly unknown[]): Promise<RpcResult> {
  const result = await below.request(method, params)
  const { number, blockNumber } = (result ?? {}) as { number?: unknown; blockNumber?: unknown }
  const height = number ?? blockNumber
  return height === undefined || below.isBelow(height) ? new RawJson(JSON.stringify(result ?? null)) : null
}
