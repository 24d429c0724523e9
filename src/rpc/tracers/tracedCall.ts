import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallRequest } from '../../execution/localExecution.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import type { TraceTypes } from '../params/traceTypes.ts'
import { replayText } from './replayAnswer.ts'
import { tracing } from './traceBlock.ts'

/** A simulated call as Parity tells it. */
export interface TracedCallAnswer {
  /** JSON text. */
  readonly text: string
  /** Text of the trace in the form `prestate` with `diffMode`; null where it was not asked for. */
  readonly diffs: string | null
}

/**
 * Traces a call on the state after a block.
 * @param needsDiffs whether what it changed is wanted, whatever the answer tells
 * @throws RpcError
 */
export function tracedCall(
  context: NodeContext,
  header: BlockHeader,
  request: CallRequest,
  types: TraceTypes,
  needsDiffs = types.stateDiff,
): TracedCallAnswer {
  return tracing(context, header, () => {
    const { texts, output } = context.tracing.call(header, request, { tracer: 'flat' })
    const diffs = needsDiffs
      ? (context.tracing.call(header, request, { tracer: 'prestate', diffMode: true }).texts[0] ?? null)
      : null
    const calls = types.trace ? texts : []
    return {
      text: replayText({ output: toHex(output), calls, diffs: types.stateDiff ? diffs : null }),
      diffs,
    }
  })
}
