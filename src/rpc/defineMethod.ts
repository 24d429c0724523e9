import type { FastMethodName } from '../native/nativeFastPath.ts'
import type { Audience } from './availability.ts'
import type { Eventually, NodeContext } from './context.ts'
import type { Forward, RpcResult } from './json.ts'
import { type Param, type ParamValues, parseParams } from './params/param.ts'
import type { Preferences } from './preferences.ts'

/**
 * Where and behind which queue a method runs: `inline` in the front thread, `chain` in the front thread
 * waiting for the writer, the others in the pool (decisions.md D8).
 */
export type Lane = 'inline' | 'chain' | 'read' | 'evm' | 'scan' | 'proof' | 'trace'

/**
 * What may be kept of an answer: nothing, until the head or the status changes, or for good. With parameters
 * `head` says that the answer follows from them and the head alone, as long as they do not name the pending block.
 */
export type CacheRule = 'none' | 'head' | 'forever'

/**
 * Reads the parameters and runs a handler.
 * @param preferences how the caller wants its answer
 * @throws RpcError
 */
export type Run = (
  context: NodeContext,
  values: readonly unknown[],
  preferences: Preferences,
) => Eventually<RpcResult | Forward>

/** A method as its file writes it. */
export interface MethodSpec<P extends readonly Param<unknown>[]> {
  readonly name: string
  /** Other names of the same method. */
  readonly aliases?: readonly string[]
  /** One sentence for the OpenRPC document and the README. */
  readonly doc: string
  readonly params: readonly [...P]
  /** JSON schema of the result. */
  readonly result: { readonly [key: string]: string }
  readonly lane: Lane
  /** Weight against quotas; 1 is a read of one record. */
  readonly cost: number
  readonly cache: CacheRule
  /**
   * What the front thread tries before the workers, as a hop to a worker costs more than a short read: what the native
   * core answers from the bytes of ordinary requests, or a handler of its own that leaves to the workers
   * (`DELEGATE_TO_WORKER`) whatever is not short.
   */
  readonly fast?: FastMethodName | Handler<P>
  readonly audience?: Audience
  /** Answers, errors among them, may contain reverts: in the form that the caller wants. Those of others never do. */
  readonly reportsReverts?: boolean
  /** A range that ends beyond the head is cut or refused, as the caller wants. */
  readonly cutsRanges?: boolean
  /** Bytes of its parameters, as JSON text; what a body holds unless given. More is refused before it is parsed. */
  readonly maxParamBytes?: number
  /** Only a method of the front thread may hand its request on to the workers. */
  readonly handler: Handler<P>
}

/** Answers a request whose parameters were read. @throws RpcError */
export type Handler<P extends readonly Param<unknown>[]> = (
  context: NodeContext,
  params: ParamValues<P>,
  preferences: Preferences,
) => Eventually<RpcResult | Forward>

/** A method as the router and the workers use it. */
export interface MethodDefinition {
  readonly name: string
  readonly aliases: readonly string[]
  readonly doc: string
  readonly params: readonly Param<unknown>[]
  readonly result: { readonly [key: string]: string }
  readonly lane: Lane
  readonly cost: number
  readonly cache: CacheRule
  readonly fast: FastMethodName | Run | null
  readonly audience: Audience
  readonly reportsReverts: boolean
  readonly cutsRanges: boolean
  /** Bytes of the parameters, as JSON text, that are parsed. */
  readonly maxParamBytes: number
  readonly run: Run
}

/** Makes a definition of a method's description. */
export function defineMethod<const P extends readonly Param<unknown>[]>(
  spec: MethodSpec<P>,
): MethodDefinition {
  const { name, params, fast } = spec
  const required = params.filter((param) => !param.optional).length
  const runOf =
    (handler: Handler<P>): Run =>
    (context, values, preferences) => {
      const parsed = parseParams(params, required, values, name) as unknown as ParamValues<P>
      return handler(context, parsed, preferences)
    }
  return {
    name,
    aliases: spec.aliases ?? [],
    doc: spec.doc,
    params,
    result: spec.result,
    lane: spec.lane,
    cost: spec.cost,
    cache: spec.cache,
    fast: typeof fast === 'function' ? runOf(fast) : (fast ?? null),
    audience: spec.audience ?? 'public',
    reportsReverts: spec.reportsReverts ?? false,
    cutsRanges: spec.cutsRanges ?? false,
    maxParamBytes: spec.maxParamBytes ?? Number.POSITIVE_INFINITY,
    run: runOf(spec.handler),
  }
}
