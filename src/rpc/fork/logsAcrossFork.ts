import { blocksNamedIn } from '../../fork/forkPin.ts'
import { UpstreamRefusal } from '../../fork/upstream.ts'
import { quantity } from '../../fork/upstreamBlock.ts'
import type { MethodDefinition } from '../defineMethod.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { logsPage } from '../internal/logsPage.ts'
import { type ByteSource, Forward, PagedResult, RawElements, RawJson, type RpcResult } from '../json.ts'
import type { BelowFork } from './belowFork.ts'
import type { ForkRequest } from './forkRequest.ts'
import { hashOf, selectorOf } from './forkSelectors.ts'

/** Blocks of the first request for logs to an upstream; of later ones half as many whenever it refuses. */
const WINDOW = 1000
/** Requests to the upstream for one search. */
const MAX_REQUESTS = 200

type Filter = Readonly<Record<string, unknown>>

/**
 * Logs of a range that begins at or below the block of a fork: those of the upstream, then those of the chain above it.
 * @returns null where all of it is above
 */
export function logsAcrossFork(below: BelowFork, request: ForkRequest): Promise<RpcResult> | null {
  const [value] = request.values
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const filter = value as Filter
  const { chain } = request.context
  const hash = hashOf(filter['blockHash'])
  if (hash !== null) {
    const known = chain.headerByHash(hash)
    return known !== null && known.number > below.base.number ? null : ofBlock(below, filter)
  }
  const head = chain.head().number
  const from = heightOf(filter['fromBlock'], head)
  const to = heightOf(filter['toBlock'], head)
  if (from === null || to === null || from > below.base.number || from > to) return null
  return acrossFork(below, request, filter, { from, to: Math.min(to, head) })
}

function heightOf(value: unknown, head: number): number | null {
  const selector = selectorOf(value)
  if (selector === 'latest' || selector === 'pending') return head
  return typeof selector === 'number' ? selector : null
}

/** Whose hash is asked for settles all but that there is nothing. */
async function ofBlock(below: BelowFork, filter: Filter): Promise<RpcResult> {
  const logs = (await below.request('eth_getLogs', [filter], (answer) => ({
    blocks: [],
    isSettled: Array.isArray(answer) && answer.length > 0,
  }))) as { blockNumber?: unknown }[]
  if (logs.every(({ blockNumber }) => below.isBelow(blockNumber))) return new RawJson(JSON.stringify(logs))
  throw new RpcError('unknownBlock')
}

async function acrossFork(
  below: BelowFork,
  request: ForkRequest,
  filter: Filter,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RpcResult> {
  const { context, method, preferences } = request
  const { logBlocks, logCount } = context.node.settings
  const most = to - from < logBlocks ? Number.POSITIVE_INFINITY : logCount
  const texts = await below
    .requestAll(
      async (request) => {
        const logs = await fromUpstream(request, filter, { from, to: Math.min(to, below.base.number) }, most)
        return { texts: logs.map((log) => JSON.stringify(log)), blocks: blocksNamedIn(logs) }
      },
      // Blocks whose logs are missing are named by none.
      ({ blocks }) => ({ blocks, isSettled: false }),
    )
    .then(({ texts }) => texts)
  if (to > below.base.number) {
    const above = { ...filter, fromBlock: quantity(below.base.number + 1), toBlock: quantity(to) }
    const local = await textOf(await method.run(context, [above], preferences), request)
    if (local !== '') texts.push(local)
    // Commas of elements are not counted: an element is a log of the upstream, or all of the local ones.
    const count = texts.length - 1 + (local === '' ? 0 : (JSON.parse(`[${local}]`) as unknown[]).length)
    if (count > most) throw tooMany(most)
  }
  return new RawJson(`[${texts.join(',')}]`)
}

async function fromUpstream(
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
  filter: Filter,
  { from, to }: { readonly from: number; readonly to: number },
  most: number,
): Promise<unknown[]> {
  const found: unknown[] = []
  let window = WINDOW
  let requests = 0
  for (let start = from; start <= to; ) {
    const needed = requests + Math.ceil((to - start + 1) / window)
    if (needed > MAX_REQUESTS) {
      throw invalidParams(
        `the range needs ${needed} requests to the network that this chain is a fork of, and may have ${MAX_REQUESTS}: ask for fewer blocks`,
      )
    }
    const end = Math.min(to, start + window - 1)
    requests += 1
    const range = { ...filter, fromBlock: quantity(start), toBlock: quantity(end) }
    const logs = await ask('eth_getLogs', [range]).catch((error: unknown) => {
      if (error instanceof UpstreamRefusal && window > 1) return null
      throw error
    })
    if (logs === null) {
      window = Math.max(1, Math.floor(window / 2))
      continue
    }
    for (const log of logs as unknown[]) found.push(log)
    if (found.length > most) throw tooMany(most)
    start = end + 1
  }
  return found
}

function tooMany(most: number): RpcError {
  return new RpcError('logLimit', `Filter returned more than ${most} logs: ask for a smaller range of blocks`)
}

/** JSON texts of the elements of a list, with commas between. */
async function textOf(result: unknown, request: ForkRequest): Promise<string> {
  if (result instanceof PagedResult) {
    const rest = result.next === null ? '' : await pageOf(result.next, logsPage, request)
    return [bytesOf(result.bytes), rest].filter((text) => text !== '').join(',')
  }
  if (result instanceof RawElements) return bytesOf(result.bytes)
  if (result instanceof Forward) throw new TypeError('logs of a worker are not forwarded')
  const text = result instanceof RawJson ? result.text : JSON.stringify(result)
  return text.slice(1, -1)
}

async function pageOf(next: string, method: MethodDefinition, request: ForkRequest): Promise<string> {
  const { context, preferences } = request
  return await textOf(await method.run(context, [JSON.parse(next)], preferences), request)
}

function bytesOf(source: ByteSource): string {
  const bytes = Buffer.alloc(source.length)
  source.moveTo(bytes, 0)
  return bytes.toString('utf8')
}
