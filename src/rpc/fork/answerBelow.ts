import { UpstreamError } from '../../fork/errors.ts'
import { type BranchEvidence, blocksNamedIn, NO_EVIDENCE } from '../../fork/forkPin.ts'
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
        return atHash(below, request, rule, selector)
      }
      const number = numberOf(context, selector)
      if (number === null || number > below.base.number - (rule.kind === 'state' ? 1 : 0)) return null
      return atNumber(below, request, rule, number)
    }
    case 'blockHash': {
      const hash = hashOf(values[0])
      const known = hash === null ? null : context.chain.headerByHash(hash)
      if (hash === null || (known !== null && known.number > below.base.number)) return null
      if (rule.isTrace === true) return traceAtHash(below, request, hash)
      return ask(below, method.name, values, (answer) => evidenceOfHash(answer, hash, rule.isUncle === true))
    }
    case 'transaction':
      return transaction(below, request, rule.isTrace === true)
    case 'logs':
      return logsAcrossFork(below, request)
  }
}

type BlockRule = Extract<ForkRule, { readonly kind: 'block' | 'state' }>

/** Height of the block that a selector names; null where it names none, or the pending one. */
function numberOf({ chain }: NodeContext, selector: ReturnType<typeof selectorOf>): number | null {
  if (selector === 'pending' || selector === null) return null
  if (selector === 'latest') return chain.head().number
  return typeof selector === 'number' ? selector : (chain.headerByHash(selector)?.number ?? null)
}

async function atNumber(
  below: BelowFork,
  request: ForkRequest,
  rule: BlockRule,
  number: number,
): Promise<RpcResult> {
  const { method, values } = request
  const params = [...values]
  params[rule.at] = quantity(number)
  // The state of a block is what the one above it is executed on.
  if (rule.isTrace === true)
    return await trace(below, request, params, rule.kind === 'state' ? number + 1 : number, evidenceOf)
  if (rule.kind === 'block')
    return await ask(below, method.name, params, rule.isUncle === true ? () => NO_EVIDENCE : evidenceOf)
  const { block, isByHash } = await below.stateAt(number)
  params[rule.at] = block
  return await ask(below, method.name, params, isByHash ? evidenceOfState : () => NO_EVIDENCE)
}

/** Not every node gives states by hash: the block is named by its number where the upstream does not. */
async function atHash(
  below: BelowFork,
  request: ForkRequest,
  rule: BlockRule,
  hash: Buffer,
): Promise<RpcResult> {
  const { context, method, values, preferences } = request
  const number = await canonicalNumber(below, hash)
  if (number === null) return (await method.run(context, values, preferences)) as RpcResult
  return await atNumber(below, request, rule, Number(number))
}

/** Height, as JSON-RPC writes it, of a block of the fork's branch below it; null for another one. */
async function canonicalNumber(below: BelowFork, hash: Buffer): Promise<string | null> {
  const text = toHex(hash)
  const block = await below.request('eth_getBlockByHash', [text, false], (answer) =>
    evidenceOfHash(answer, hash, false),
  )
  const number = (block as { number?: unknown } | null)?.number
  if (typeof number !== 'string' || !below.isBelow(number)) return null
  return (await below.hashAt(Number(number))) === text ? number : null
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
  const { found, answer } = await below.requestAll(
    async (request) => {
      const found = (await request('eth_getTransactionByHash', [values[0]])) as Found | null
      // The upstream goes on, and this chain does not with it.
      const isThere = found !== null && below.isBelow(found.blockNumber)
      const isAsked = isThere && !isTrace && method.name !== 'eth_getTransactionByHash'
      return { found: isThere ? found : null, answer: isAsked ? await request(method.name, values) : found }
    },
    ({ found, answer }) => ({
      blocks: [...blocksNamedIn(found), ...blocksNamedIn(answer)],
      isSettled: found !== null && blocksNamedIn(answer).length > 0,
    }),
  )
  if (found === null) {
    return isTrace ? ((await method.run(context, values, preferences)) as RpcResult) : null
  }
  if (isTrace) return await trace(below, request, values, Number(found.blockNumber), evidenceOf)
  return new RawJson(JSON.stringify(answer ?? null))
}

/** A transaction as the upstream tells it. */
interface Found {
  readonly blockNumber?: unknown
}

/** A trace of the upstream's, or one that is made here. Genesis has none, here and there. */
async function trace(
  below: BelowFork,
  request: ForkRequest,
  values: readonly unknown[],
  number: number,
  evidence: (answer: unknown) => BranchEvidence,
): Promise<RpcResult> {
  const { context, method, preferences } = request
  const result = await below.requestIfThere(method.name, values, evidence)
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
  return await trace(below, request, values, Number(number), evidenceOfState)
}

async function ask(
  below: BelowFork,
  method: string,
  params: readonly unknown[],
  evidence: (answer: unknown) => BranchEvidence,
): Promise<RpcResult> {
  const result = await below.request(method, params, evidence)
  const { number, blockNumber } = (result ?? {}) as { number?: unknown; blockNumber?: unknown }
  const height = number ?? blockNumber
  return height === undefined || below.isBelow(height) ? new RawJson(JSON.stringify(result ?? null)) : null
}

/** Of what was asked for by number: the blocks that it names settle it. */
function evidenceOf(answer: unknown): BranchEvidence {
  const blocks = blocksNamedIn(answer)
  return { blocks, isSettled: blocks.length > 0 }
}

/** Of what was asked for by the hash of a block of the branch: only that nothing is there needs another look. */
function evidenceOfState(answer: unknown): BranchEvidence {
  return { blocks: [], isSettled: answer !== null && answer !== undefined }
}

/**
 * Of what was asked for by the hash of a block, which may lie beside the branch.
 * @throws UpstreamError where it is of another block
 */
function evidenceOfHash(answer: unknown, hash: Buffer, isUncle: boolean): BranchEvidence {
  const wanted = toHex(hash)
  const { blockHash, number, hash: own } = (answer ?? {}) as Record<string, unknown>
  const given = blockHash ?? (number === undefined ? undefined : own)
  if (!isUncle && typeof given === 'string' && given !== wanted)
    throw new UpstreamError('MALFORMED', `the upstream's answer for block ${wanted} is of block ${given}`)
  return evidenceOfState(answer)
}
