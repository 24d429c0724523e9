import { callFailure, type RemoteService } from './proxy.ts'

/**
 * An object of this thread as {@link createProxy} gives one of another: its refusals are RpcErrors, other failures
 * ChainLinkErrors. Its methods need no object to be called on.
 */
export function localCaller<S extends RemoteService<S>>(service: S): S {
  const methods = Object.entries(service as Record<string, (...args: never[]) => Promise<unknown>>)
  const callers = methods.map(([name, method]) => [name, callerOf(method.bind(service))])
  return Object.fromEntries(callers) as S
}

function callerOf(method: (...args: never[]) => Promise<unknown>): typeof method {
  return async (...args) => {
    try {
      return await method(...args)
    } catch (error) {
      throw callFailure(error)
    }
  }
}
