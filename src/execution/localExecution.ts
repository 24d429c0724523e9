import type { BlockHeader } from '../chain/codec/header.ts'
import { bridgeState, bridgeStatus } from '../native/bridge.ts'
import { callNative } from '../native/call.ts'
import { type CallAnswer, CallEngine } from '../native/callEngine.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import { callPrecompile } from '../native/precompile.ts'
import type { CallInput } from '../native/types.ts'
import { stateRootAfter, stateRootOfHeader } from '../state/stateRoot.ts'
import { toBlockEnvironment } from './blockEnvironment.ts'
import { toNativeMessage, toNativeOverride } from './callInput.ts'
import type { CallFailure, CallOutcome, CallRequest, LocalExecutionParts } from './callTypes.ts'
import { CallPacker } from './packedCall.ts'
import { type BodyRoots, createBodyRoots, createSimulation, type Simulate } from './simulation.ts'

/** Simulations on the state after a block, in that block's environment. */
export interface Execution {
  /** @throws NativeError `Interrupted`, `MissingState` */
  call(header: BlockHeader, request: CallRequest): CallOutcome
  /**
   * Output of a call as hex: the fast form of {@link call}.
   * @throws NativeError as {@link call}
   */
  output(header: BlockHeader, request: CallRequest): string | CallFailure
  /**
   * Gas that a transaction needs, as hex.
   * @throws NativeError as {@link call}
   */
  estimate(header: BlockHeader, request: CallRequest): string | CallFailure
  /**
   * {@link output} or {@link estimate} at a connected block, of which the native core has what is needed; null where it
   * has not, or the request is for another block environment.
   * @throws NativeError as {@link call}
   */
  atKnown(kind: 'output' | 'estimate', hash: Buffer, request: CallRequest): string | CallFailure | null
  /** The network in the form of the native core. */
  readonly spec: NativeChainSpec
  /** Calls of overridden blocks. @throws NativeError as {@link call} */
  readonly simulate: Simulate
  /** Roots of an overridden block. */
  readonly bodyRoots: BodyRoots
  /** True when a precompiled contract is active at the address in that block. */
  isPrecompiled(header: BlockHeader, address: Buffer): boolean
  /** The Bridge after a block. @throws NativeError `Interrupted`, `MissingState` */
  bridge(header: BlockHeader): BridgeSummary
  /** Federations, funds and peg-outs after a block, JSON text of an object. @throws NativeError as {@link bridge} */
  bridgeStatus(header: BlockHeader): string
}

/** State of the Bridge. */
export interface BridgeSummary {
  /** Height of the best Bitcoin chain that it knows. */
  readonly bitcoinHeight: number
  /** Hashes of the transactions whose Bitcoin transactions wait for signatures. */
  readonly waitingForSignatures: readonly Buffer[]
}

/** Simulations in the native core. */
export function createLocalExecution(parts: LocalExecutionParts): Execution {
  const { nativeSpec, store, interrupt } = parts
  const quick = createQuickCalls(parts)
  const stateAfter = (header: BlockHeader) =>
    [stateRootAfter(parts.spec, store, header), toBlockEnvironment(header.fields)] as const
  return {
    ...quick,
    spec: nativeSpec,
    call: (header, request) => {
      const { end, output, gas, reason } = callNative(nativeSpec, store, toCallInput(parts, header, request))
      if (end === 'success' || end === 'revert') return { status: end, output, gasUsed: gas }
      return { status: 'failure', reason: reason ?? end, gasUsed: gas }
    },
    simulate: createSimulation(parts),
    bodyRoots: createBodyRoots(parts),
    isPrecompiled: (header, address) =>
      callPrecompile(nativeSpec, store, {
        root: stateRootAfter(parts.spec, store, header),
        block: toBlockEnvironment(header.fields),
        address,
        input: null,
        // This only requests it.
        gasLimit: 0n,
      }) !== null,
    bridge: (header) => bridgeState(nativeSpec, store, ...stateAfter(header), interrupt),
    bridgeStatus: (header) => bridgeStatus(nativeSpec, store, ...stateAfter(header), interrupt),
  }
}

/** The calls of the native core by the names that they have here. */
const CALLS = { output: 'call', estimate: 'estimateGas' } as const

/** Calls and estimates in the form that is cheapest to pass to native code. */
function createQuickCalls(parts: LocalExecutionParts): Pick<Execution, 'output' | 'estimate' | 'atKnown'> {
  const { spec, nativeSpec, store, interrupt } = parts
  const mayBeEdited = parts.mayBeEdited ?? (() => true)
  const engine = new CallEngine(nativeSpec, store)
  const packer = new CallPacker()
  /** The block of the engine: of a header, or by its hash. */
  let last: { readonly header: BlockHeader; readonly root: Buffer } | null = null
  let known: Buffer | null = null

  const run = (kind: keyof typeof CALLS, request: CallRequest): string | CallFailure => {
    const message = packer.pack(request, interrupt)
    const overrides = request.overrides.length === 0 ? undefined : request.overrides.map(toNativeOverride)
    return toAnswer(engine[CALLS[kind]](message, interrupt?.flags, overrides))
  }
  const runAfter = (
    kind: keyof typeof CALLS,
    header: BlockHeader,
    request: CallRequest,
  ): string | CallFailure => {
    const root = mayBeEdited() ? stateRootAfter(spec, store, header) : stateRootOfHeader(spec, store, header)
    known = null
    if (request.environment !== undefined) {
      engine.setBlockContext(root, { ...toBlockEnvironment(header.fields), ...request.environment })
      last = null
    } else if (last?.header !== header || !last.root.equals(root)) {
      engine.setBlockContext(root, toBlockEnvironment(header.fields))
      last = { header, root }
    }
    return run(kind, request)
  }
  return {
    output: (header, request) => runAfter('output', header, request),
    estimate: (header, request) => runAfter('estimate', header, request),
    atKnown: (kind, hash, request) => {
      if (request.environment !== undefined) return null
      if (known?.equals(hash) !== true || mayBeEdited()) {
        last = null
        known = engine.setBlock(hash) ? Buffer.from(hash) : null
      }
      return known === null ? null : run(kind, request)
    },
  }
}

function toAnswer(answer: CallAnswer): string | CallFailure {
  if (typeof answer === 'string') return answer
  const { end, output, reason } = answer
  switch (end) {
    case 'revert':
      return { status: 'revert', output }
    case 'funds':
      return { status: 'insufficientFunds' }
    default:
      return { status: 'failure', reason: reason ?? end }
  }
}

/** A call as the native core takes it, on the state after the block and in its environment. */
export function toCallInput(
  parts: LocalExecutionParts,
  header: BlockHeader,
  request: CallRequest,
): CallInput {
  const { interrupt } = parts
  return {
    root: stateRootAfter(parts.spec, parts.store, header),
    block: { ...toBlockEnvironment(header.fields), ...request.environment },
    message: toNativeMessage(request),
    overrides: request.overrides.map(toNativeOverride),
    ...(interrupt === undefined ? {} : { interrupt: { flags: interrupt.flags, slot: interrupt.slot } }),
  }
}
