import type { Block } from '../../chain/codec/block.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import type { TraceTypes } from '../params/traceTypes.ts'
import { parseAccountDiffs } from './accountDiffs.ts'
import { stateDiff } from './stateDiff.ts'
import { traceTransactions } from './traceBlock.ts'

/** A call of a flat trace, as far as replays look into it. */
interface FlatCall {
  readonly error?: string
  readonly result: { readonly output?: string; readonly code?: string } | null
  readonly [member: string]: unknown
}

/** A transaction that was replayed, as JSON text. */
export interface ReplayedTransaction {
  readonly index: number
  readonly text: string
}

/** Members of {@link replayText}. */
export interface ReplayParts {
  /** DATA. */
  readonly output: string
  /** JSON texts. */
  readonly calls: readonly string[]
  /** Text of the trace in the form `prestate` with `diffMode`; null when it was not requested. */
  readonly diffs: string | null
}

/**
 * Transactions of a block in the format of Parity's replays, all unless `wanted` selects some. Each requested form takes
 * one execution of the block.
 * @throws RpcError when the answer would be too large or the state is not here
 */
export function replayTransactions(
  context: NodeContext,
  block: Block,
  types: TraceTypes,
  wanted?: readonly number[],
): ReplayedTransaction[] {
  const flat = traceTransactions(context, block, { tracer: 'flat' }, wanted)
  const diffs = types.stateDiff
    ? traceTransactions(context, block, { tracer: 'prestate', diffMode: true }, wanted)
    : null
  const reverted = flat.filter(({ texts }) => topCall(texts).error !== undefined).map(({ index }) => index)
  const outputs = new Map(
    reverted.length === 0
      ? []
      : traceTransactions(
          context,
          block,
          { tracer: 'calls', onlyTopCall: true, withLog: false },
          reverted,
        ).map(({ index, texts }) => [index, (JSON.parse(texts[0] ?? '{}') as { output?: string }).output]),
  )
  return flat.map(({ index, texts }, position) => {
    const { result } = topCall(texts)
    const calls = types.trace ? texts.map(withoutPosition) : []
    return {
      index,
      text: replayText({
        output: result?.output ?? result?.code ?? outputs.get(index) ?? '0x',
        calls,
        diffs: diffs?.[position]?.texts[0] ?? null,
      }),
    }
  })
}

/** `{output, stateDiff, trace, vmTrace}` as JSON text. */
export function replayText({ output, calls, diffs }: ReplayParts): string {
  const diff = diffs === null ? 'null' : JSON.stringify(stateDiff(parseAccountDiffs(diffs)))
  return `{"output":"${output}","stateDiff":${diff},"trace":[${calls.join(',')}],"vmTrace":null}`
}

/** The answer of a whole block, in which each transaction has its hash. */
export function replayBlockText(block: Block, replayed: readonly ReplayedTransaction[]): string {
  const texts = replayed.map(({ index, text }) => {
    const hash = block.transactions[index]?.hash
    return hash === undefined ? text : `${text.slice(0, -1)},"transactionHash":"${toHex(hash)}"}`
  })
  return `[${texts.join(',')}]`
}

function topCall(texts: readonly string[]): FlatCall {
  return JSON.parse(texts[0] ?? '{"result":null}') as FlatCall
}

/** Calls of a replay do not contain the position of their transaction. */
function withoutPosition(text: string): string {
  const {
    blockHash: _hash,
    blockNumber: _number,
    transactionHash: _transaction,
    transactionPosition: _position,
    ...rest
  } = JSON.parse(text) as FlatCall
  return JSON.stringify(rest)
}
