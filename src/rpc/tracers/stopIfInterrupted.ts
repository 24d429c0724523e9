import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'

/** To be called between two steps of a long search. @throws RpcError `overLimit` when the request is to stop */
export function stopIfInterrupted({ interrupt }: Pick<NodeContext, 'interrupt'>): void {
  if (Atomics.load(interrupt.flags, interrupt.slot) !== 0) throw new RpcError('overLimit')
}
