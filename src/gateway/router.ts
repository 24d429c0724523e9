import type { MethodNameSpec } from '../native/nativeFastPath.ts'
import { type EnabledMethods, isEnabled } from '../rpc/availability.ts'
import type { Lane, MethodDefinition } from '../rpc/defineMethod.ts'
import { RpcError } from '../rpc/errors.ts'
import { isPrivileged } from '../rpc/privileged.ts'
import { whyNoFeeMarket } from '../rpc/sending/typedTransaction.ts'

/** The error for a body without a method, the same each time. */
export const INVALID_REQUEST = new RpcError('invalidRequest')
const NOT_FOUND = new RpcError('methodNotFound')

/** A method as requests find it. */
export interface Route {
  readonly definition: MethodDefinition
  /** Index in the list of methods. */
  readonly index: number
  /** Lane of this node: the method's own unless configured otherwise. */
  readonly lane: Lane
  /** The method with its fast handler, which the front thread tries before the workers; null with a configured lane. */
  readonly fast: MethodDefinition | null
  /** True when it signs, changes the chain or the node: closed to pages of other origins. */
  readonly privileged: boolean
}

/** The options that decide which methods there are. */
export interface RouterOptions {
  readonly methods: readonly MethodDefinition[]
  /** Names that answer `does not exist/is not available`. */
  readonly unsupported: ReadonlySet<string>
  /** The methods that callers may ask for. */
  readonly enabled: EnabledMethods
  /** Lanes other than the methods' own, by method name. */
  readonly lanes?: Readonly<Record<string, Lane>>
}

/** Finds the route of a method name. */
export class Router {
  readonly #routes = new Map<string, Route>()
  readonly #internal = new Map<string, Route>()
  readonly #unavailable: Set<string>
  /** The index of what is no method: behind the last one. */
  readonly unknown: number
  /** Routes by the indices of their methods. */
  readonly routesByIndex: Route[] = []
  /** Names that requests use, and how the native core answers them; a configured lane leaves only cached responses. */
  readonly names: MethodNameSpec[] = []

  constructor({ methods, unsupported, enabled, lanes = {} }: RouterOptions) {
    this.#unavailable = new Set(unsupported)
    this.unknown = methods.length
    methods.forEach((definition, index) => {
      const configured = lanes[definition.name]
      const route = {
        definition,
        index,
        lane: configured ?? definition.lane,
        fast: configured === undefined ? withFastHandler(definition) : null,
        privileged: [definition.name, ...definition.aliases].some(isPrivileged),
      }
      for (const name of [definition.name, ...definition.aliases]) {
        if (definition.audience === 'internal') this.#internal.set(name, route)
        else if (isEnabled(definition, enabled)) {
          this.#routes.set(name, route)
          this.routesByIndex[index] = route
          this.names.push({
            name,
            index,
            fast: configured === undefined && typeof definition.fast === 'string' ? definition.fast : null,
            // An answer to parameters then holds as long as the head does.
            isCached: definition.cache === 'head' && definition.params.length > 0,
            reportsReverts: definition.reportsReverts,
          })
        } else this.#unavailable.add(name)
      }
    })
  }

  /** The route of a method that the gateway itself asks workers for. @throws Error when there is none */
  forForward(method: string): Route {
    const route = this.#internal.get(method) ?? this.#routes.get(method)
    if (route === undefined) throw new Error(`no method ${method}`)
    return route
  }

  /** Reason why there is no route (decisions.md D22). */
  whyNot(method: string | null): RpcError {
    if (method !== null && this.#unavailable.has(method)) {
      return new RpcError('methodUnavailable', `the method ${method} does not exist/is not available`)
    }
    // What names no method is no request.
    if (method === null) return INVALID_REQUEST
    const reason = whyNoFeeMarket(method)
    return reason === undefined ? NOT_FOUND : new RpcError('methodNotFound', reason)
  }
}

function withFastHandler(definition: MethodDefinition): MethodDefinition | null {
  return typeof definition.fast === 'function' ? { ...definition, run: definition.fast } : null
}
