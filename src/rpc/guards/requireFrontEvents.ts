import type { FrontEvents } from '../../filters/frontEvents.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'

/** Filters and subscriptions of the node. @throws Error in a thread that has none */
export function frontEvents(context: NodeContext): FrontEvents {
  if (context.front === undefined) throw new Error('filters and subscriptions are in the front thread only')
  return context.front
}

/** A handle, unless a limit kept it from being made. @throws RpcError */
export function grantedHandle(handle: string | null, what: string): string {
  if (handle === null) throw new RpcError('limited', `too many ${what}`)
  return handle
}

/** The handle of a filter, unless there are too many. @throws RpcError */
export function grantedFilter(handle: string | null): string {
  return grantedHandle(handle, 'filters')
}
