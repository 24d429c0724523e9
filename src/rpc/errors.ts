import type { RevertForm } from '../config/revertForm.ts'

/**
 * Why a request is not answered with a result. The kinds are closed; {@link ERROR_TABLE} gives each its
 * JSON-RPC number. Sources: rpc.md §4.1, decisions.md D22; for eth_simulateV1 the execution-apis.
 */
export type RpcErrorKind =
  | 'parse'
  | 'invalidRequest'
  | 'batchTooLarge'
  | 'methodNotFound'
  | 'methodUnavailable'
  | 'invalidParams'
  | 'notFound'
  | 'historyNotKept'
  | 'internal'
  | 'executionFailed'
  | 'walletDisabled'
  | 'unauthorized'
  | 'limited'
  | 'stopping'
  | 'transactionRefused'
  | 'sentTimeout'
  | 'sentUnready'
  | 'overLimit'
  | 'logLimit'
  | 'vmException'
  | 'filterNotFound'
  | 'unknownBlock'
  | 'miningRefused'
  | 'storeUnwritable'
  | 'filterAway'
  | 'blockNotReached'
  | 'blockNotHere'
  | 'upstreamFailed'
  | 'simulatedNonceTooLow'
  | 'simulatedNonceTooHigh'
  | 'simulatedIntrinsicGas'
  | 'simulatedFunds'
  | 'simulatedBlockFull'
  | 'simulatedNumberOrder'
  | 'simulatedTimeOrder'
  | 'simulatedTooMuch'

interface ErrorRow {
  /** JSON-RPC error code. */
  readonly code: number
  /** Text when the thrower gives none. */
  readonly message: string
  /** HTTP status when it is the answer to a single request; 200 unless said (decisions.md D23). */
  readonly status?: number
}

/** The one table from kinds to codes, texts and HTTP status. */
export const ERROR_TABLE: Readonly<Record<RpcErrorKind, ErrorRow>> = {
  parse: { code: -32700, message: 'JSON parse error', status: 400 },
  invalidRequest: { code: -32600, message: 'invalid request', status: 400 },
  batchTooLarge: { code: -32600, message: 'too many requests in one batch' },
  methodNotFound: { code: -32601, message: 'method not found' },
  methodUnavailable: { code: -32601, message: 'the method does not exist/is not available' },
  invalidParams: { code: -32602, message: 'method parameters invalid' },
  notFound: { code: -32600, message: 'not found' },
  // EIP-4444; as geth and reth answer it.
  historyNotKept: { code: 4444, message: 'pruned history unavailable' },
  internal: { code: -32603, message: 'Internal server error' },
  executionFailed: { code: -32000, message: 'execution failed' },
  walletDisabled: { code: -32604, message: 'The local wallet feature is disabled' },
  unauthorized: { code: -32001, message: 'missing or unknown API key', status: 401 },
  limited: { code: -32005, message: 'limit exceeded', status: 429 },
  stopping: { code: -32005, message: 'the node stops, try again', status: 503 },
  transactionRefused: { code: -32010, message: 'transaction refused' },
  // EIP-7966.
  sentTimeout: { code: 4, message: 'The transaction was added to the pool but was not mined in time.' },
  sentUnready: { code: 5, message: 'The transaction was added to the pool but waits for an earlier nonce.' },
  overLimit: { code: -32011, message: 'Execution has got timeout out.' },
  logLimit: { code: -32012, message: 'Filter returned too many logs.' },
  vmException: { code: -32015, message: 'VM Exception while processing transaction: transaction reverted' },
  filterNotFound: { code: -32000, message: 'filter not found' },
  // As geth answers eth_getLogs.
  unknownBlock: { code: -32000, message: 'unknown block' },
  miningRefused: { code: -33000, message: 'Cannot publish block' },
  // fleet.md §8. No status that balancers ask elsewhere for: that member is away for all.
  filterAway: { code: -32005, message: 'the node that has the filter does not answer, try again' },
  // X-Min-Block, decisions.md D67.
  blockNotReached: { code: -32000, message: 'the block is not reached yet', status: 503 },
  // fleet.md §4.
  blockNotHere: { code: -32005, message: 'the block is not here yet, try again', status: 503 },
  storeUnwritable: { code: -32603, message: 'the store cannot be written' },
  upstreamFailed: { code: -32000, message: 'the network that this chain is a fork of gave no answer' },
  simulatedNonceTooLow: { code: -38010, message: 'nonce too low' },
  simulatedNonceTooHigh: { code: -38011, message: 'nonce too high' },
  simulatedIntrinsicGas: { code: -38013, message: 'intrinsic gas too low' },
  simulatedFunds: { code: -38014, message: 'insufficient funds for gas * price + value' },
  simulatedBlockFull: { code: -38015, message: 'block gas limit reached' },
  simulatedNumberOrder: { code: -38020, message: 'block numbers must be in order' },
  simulatedTimeOrder: { code: -38021, message: 'block timestamps must be in order' },
  simulatedTooMuch: { code: -38026, message: 'too many blocks' },
}

/** The `error` member of an answer. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: ErrorData
}

/** 0x-hex of the revert payload, or facts for programs. */
export type ErrorData = string | Readonly<Record<string, string | number>>

/** Facts beside the text of an {@link RpcError}. */
export interface RpcErrorOptions extends ErrorOptions {
  readonly data?: ErrorData
  /** The whole for callers who want reverts in the form of geth. */
  readonly inGeth?: RpcErrorObject
}

/** The error that handlers and parameter parsers throw; nothing but {@link toErrorObject} makes an answer of it. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly kind: RpcErrorKind
  readonly data: ErrorData | undefined
  readonly inGeth: RpcErrorObject | undefined
  #text: string | null = null

  constructor(kind: RpcErrorKind, message?: string, options?: RpcErrorOptions) {
    // A trace of the stack takes ten times as long as all else of a refusal, and nobody reads it.
    const depth = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message ?? ERROR_TABLE[kind].message, options)
    Error.stackTraceLimit = depth
    this.kind = kind
    this.data = options?.data
    this.inGeth = options?.inGeth
  }

  /** JSON text of the `error` member. */
  get text(): string {
    this.#text ??= JSON.stringify(toErrorObject(this))
    return this.#text
  }
}

/** A parameter that does not fit: -32602. */
export function invalidParams(message?: string, options?: ErrorOptions): RpcError {
  return new RpcError('invalidParams', message, options)
}

/** The error in place of an answer that is too large (rpc.md §1.4). */
export function responseTooLarge(limit: number, options?: RpcErrorOptions): RpcError {
  return new RpcError('overLimit', `Response size limit of ${limit} bytes exceeded`, options)
}

/**
 * The `error` member for anything thrown; what is no {@link RpcError} is internal, without its text.
 * @param reverts the form of reverts
 */
export function toErrorObject(thrown: unknown, reverts: RevertForm = 'reference'): RpcErrorObject {
  if (!(thrown instanceof RpcError))
    return { code: ERROR_TABLE.internal.code, message: ERROR_TABLE.internal.message }
  const { data, message, inGeth } = thrown
  if (reverts === 'geth' && inGeth !== undefined) return inGeth
  const { code } = ERROR_TABLE[thrown.kind]
  return data === undefined ? { code, message } : { code, message, data }
}

/** HTTP status of a single request that fails so. */
export function statusOfError(kind: RpcErrorKind): number {
  return ERROR_TABLE[kind].status ?? 200
}
