import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallRequest } from '../../execution/callTypes.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import type { TraceTypes } from '../params/traceTypes.ts'
import { replayText } from './replayAnswer.ts'
import { tracing } from './traceBlock.ts'

/** The trace of a simulated call in Parity's format. */
export interface TracedCallAnswer {
  /** JSON text. */
  readonly text: string
  /** Text of the trace in the form `prestate` with `diffMode`; null when it was not requested. */
  readonly diffs: string | null
}

/**
 * Traces a call on the state after a block.
 * @param needsDiffs whether the state changes are needed even when the answer does not contain them
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
