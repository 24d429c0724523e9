import { isDeepStrictEqual } from 'node:util'
import { CALL_DIFFERENCES } from './callDifferences.ts'
import type { Exchange } from './exchanges.ts'
import { HTTP_DIFFERENCES } from './httpDifferences.ts'
import { SERVICE_DIFFERENCES } from './serviceDifferences.ts'
import { TRACE_CORRECTIONS } from './traceCorrections.ts'

/** Both answers to one request element. */
export interface Pair {
  readonly method: string
  readonly params: readonly unknown[]
  readonly exchange: Exchange
  readonly expected: Answer
  readonly found: Answer
}

/** A parsed JSON-RPC answer, or notification. */
export interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** Of a notification. */
  readonly params?: { readonly subscription: string; readonly result: unknown }
}

/** What a difference is about, for a reader who migrates; `operations` concerns whoever runs the node. */
export type DifferenceTopic =
  | 'http'
  | 'protocol'
  | 'errors'
  | 'reads'
  | 'calls'
  | 'transactions'
  | 'logs'
  | 'traces'
  | 'methods'
  | 'operations'

/** An intended difference from the answers of the reference. */
export interface ListedDifference {
  /** Methods, for the README. */
  readonly methods: string
  readonly topic: DifferenceTopic
  readonly what: string
  /** What asks for it: a row of `src/decisions.md` or a heading of `src/rpc/specification.md`. */
  readonly why: string
  readonly applies: (pair: Pair) => boolean
}

const PENDING_UNSUPPORTED = new Set([
  'eth_getUncleCountByBlockNumber',
  'eth_getCode',
  'eth_getBlockByNumber',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
])

const OPTIONAL_IN_SPEC: Readonly<Record<string, number>> = {
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_call: 1,
  eth_getBlockByHash: 1,
  eth_getBlockByNumber: 1,
  eth_estimateGas: 3,
}

/** Notifications have no answer and no slot, also when they fail. Decided by the request, not by a pair. */
export const NOTIFICATIONS: ListedDifference = {
  methods: 'all',
  topic: 'protocol',
  what: 'a notification never gets an answer, nor a slot in the answer to a batch, even when it fails',
  why: 'decisions.md D21: missing or null id is a notification',
  applies: () => false,
}

/** An array in place of the one error of the reference. Decided by the bodies, not by a pair. */
export const OVERSIZED_BATCHES: ListedDifference = {
  methods: 'all',
  topic: 'protocol',
  what: 'an oversized batch is answered with an array that has the error of the reference for each request, with its id; beyond ten times the limit with the error alone',
  why: 'decisions.md D45: an array with the error for each request',
  applies: () => false,
}

/** One error in place of an empty array. Decided by the bodies, not by a pair. */
export const EMPTY_BATCH: ListedDifference = {
  methods: 'all',
  topic: 'protocol',
  what: 'an empty batch is answered with -32600, not with an empty array',
  why: 'decisions.md D22: an empty batch is no request',
  applies: () => false,
}

/** Every deliberate difference. The replay fails on any other. */
export const LISTED_DIFFERENCES: readonly ListedDifference[] = [
  ...HTTP_DIFFERENCES,
  NOTIFICATIONS,
  OVERSIZED_BATCHES,
  EMPTY_BATCH,
  {
    methods: 'all',
    topic: 'errors',
    what: 'cases that the reference answers with -32603 (JSON null, numbers out of range, malformed transactions, malformed solutions of miners) are -32602, and the message says what is wrong',
    why: 'decisions.md D22: -32602 parameters, -32603 internal',
    applies: ({ expected, found }) => expected.error?.code === -32603 && found.error?.code === -32602,
  },
  {
    methods: 'all',
    topic: 'errors',
    what: 'errors always have `jsonrpc` and `id`; `id` is null when unknown',
    why: 'decisions.md D22: always `jsonrpc` and `id` (null when unknown)',
    applies: ({ expected, found }) =>
      (expected.id === 'null' ? found.id === null : expected.id === undefined && 'id' in found) &&
      sameError(expected, found),
  },
  {
    methods: 'all',
    topic: 'errors',
    what: 'parameters that are neither array nor object are -32602; an id that is an array or object is -32600; -32099 is not used',
    why: 'decisions.md D22: -32700, -32600, -32601, -32602, -32603',
    applies: ({ expected, found }) =>
      expected.error?.code === -32099 && [-32600, -32602, -32700].includes(found.error?.code ?? 0),
  },
  {
    methods: 'all',
    topic: 'protocol',
    what: 'boolean ids are echoed',
    why: 'decisions.md D21: any JSON scalar is echoed with its type',
    applies: ({ expected, found }) => expected.error?.code === -32099 && typeof found.id === 'boolean',
  },
  {
    methods: 'all',
    topic: 'protocol',
    what: 'numeric ids are echoed as they were written',
    why: 'decisions.md D21: any JSON scalar is echoed with its type',
    applies: ({ expected, found }) =>
      typeof expected.id === 'number' && typeof found.id === 'number' && sameOutcome(expected, found),
  },
  {
    methods: 'eth_compile*, db_*, shh_*, eth_getCompilers',
    topic: 'methods',
    what: '-32601 `the method <name> does not exist/is not available`',
    why: 'decisions.md D46: unsupported methods of the specification',
    applies: ({ found, method }) =>
      found.error?.code === -32601 && /^(eth_(compile|getCompilers)|db_|shh_)/.test(method),
  },
  {
    methods:
      'eth_getTransactionCount, eth_getCode, eth_getStorageAt, eth_call, eth_getBlockByHash, eth_getBlockByNumber, eth_estimateGas',
    topic: 'reads',
    what: 'trailing parameters are optional where the specification or the execution-apis say so; blocks may be overridden',
    why: 'decisions.md D25: optional where the specification or the execution-apis say so',
    applies: ({ expected, method, params }) =>
      expected.error?.message === 'method parameters invalid' && OPTIONAL_IN_SPEC[method] === params.length,
  },
  {
    methods: 'all',
    topic: 'reads',
    what: 'JSON null in place of an optional parameter, or of an optional member of an object, counts as absent',
    why: 'decisions.md D25: null counts as absent',
    applies: ({ expected, found, params }) =>
      [-32601, -32602, -32603].includes(expected.error?.code ?? 0) &&
      found.error === undefined &&
      /[[:,]null[\]},]/.test(JSON.stringify(params)),
  },
  {
    methods: 'with a block parameter',
    topic: 'reads',
    what: '`safe` and `finalized` are supported',
    why: 'decisions.md D34: head − 12 and head − 120, the head on dev profiles',
    applies: ({ expected, params }) =>
      expected.error !== undefined && /"(safe|finalized)"/.test(JSON.stringify(params)),
  },
  {
    methods: [...PENDING_UNSUPPORTED].join(', '),
    topic: 'reads',
    what: '`pending` is answered unless `pendingBlocks` is `refuse`; the pending block has no `nonce`, and its transactions have no position',
    why: 'decisions.md D28: answered, as by the reference and as clients need it; decisions.md D38: `nonce` null when pending; specification.md Transaction object',
    applies: ({ expected, found, method, params }) =>
      PENDING_UNSUPPORTED.has(method) &&
      params[0] === 'pending' &&
      isDeepStrictEqual(withoutPositions(expected.result), withoutPositions(found.result)),
  },
  {
    methods: 'with a block parameter',
    topic: 'reads',
    what: '`requireCanonical` as boolean; a block hash also for eth_call and eth_getCode; the state after a side block is that of the side block',
    why: 'decisions.md D27: honoured also for side blocks; `requireCanonical` boolean or string',
    applies: ({ expected, params }) =>
      (expected.error?.code === -32603 ||
        expected.result === null ||
        /"blockHash"/.test(JSON.stringify(params))) &&
      /0x[0-9a-f]{64}"(}|,"require|\]|$)/.test(JSON.stringify(params)),
  },
  {
    methods: 'eth_getCode',
    topic: 'reads',
    what: 'an unknown block is -32600 `Block <v> not found`',
    why: 'decisions.md D26: state reads: -32600',
    applies: ({ found, method }) => method === 'eth_getCode' && found.error?.code === -32600,
  },
  {
    methods: 'eth_getUncleCountByBlockHash',
    topic: 'reads',
    what: 'an unknown block is null; the reference answers -32600',
    why: 'decisions.md D26: counts by hash: null',
    applies: ({ method, expected, found }) =>
      method === 'eth_getUncleCountByBlockHash' && expected.error?.code === -32600 && found.result === null,
  },
  {
    methods: 'eth_getBlockByNumber',
    topic: 'reads',
    what: 'a number of more than 64 bits matches no block; the reference uses its low bits',
    why: 'decisions.md D26: blocks: null',
    applies: ({ found, method, params }) =>
      method === 'eth_getBlockByNumber' &&
      found.result === null &&
      /^0x[0-9a-f]{17,63}$/.test(String(params[0])),
  },
  {
    methods: 'eth_getUncleByBlockHashAndIndex, eth_getUncleByBlockNumberAndIndex',
    topic: 'reads',
    what: '`transactions` is empty',
    why: 'specification.md Block object: uncle methods return the same shape without individual transactions',
    applies: ({ expected, found, method }) =>
      method.startsWith('eth_getUncleByBlock') &&
      JSON.stringify({ ...(expected.result as object), transactions: [] }) === JSON.stringify(found.result),
  },
  {
    methods: 'web3_sha3',
    topic: 'reads',
    what: '`0x` is the empty string',
    why: 'specification.md Conventions: DATA',
    applies: ({ method, params }) => method === 'web3_sha3' && params[0] === '0x',
  },
  {
    methods: 'web3_clientVersion',
    topic: 'reads',
    what: 'the name of this node',
    why: 'specification.md Methods with full shape: client version',
    applies: ({ method, found }) => method === 'web3_clientVersion' && typeof found.result === 'string',
  },
  {
    methods: 'eth_getLogs',
    topic: 'logs',
    what: 'a range whose end is before its start is -32602, unless it begins above the head; `toBlock: earliest` is block 0; decimal numbers are accepted; a `toBlock` beyond the head, however large, means the head',
    why: 'decisions.md D29; specification.md Block parameter forms',
    applies: ({ method, params }) => {
      const filter = params[0] as { fromBlock?: unknown; toBlock?: unknown } | null
      return (
        method === 'eth_getLogs' &&
        (filter?.toBlock === 'earliest' ||
          typeof filter?.fromBlock === 'number' ||
          /^[0-9]+$/.test(String(filter?.fromBlock)) ||
          Number(filter?.fromBlock) > Number(filter?.toBlock) ||
          Number(filter?.toBlock) > Number.MAX_SAFE_INTEGER)
      )
    },
  },
  {
    methods: 'eth_getLogs',
    topic: 'logs',
    what: 'each log has `removed: false`',
    why: 'decisions.md D49: `removed` everywhere; clients refuse logs without it',
    applies: ({ method, expected, found }) =>
      method === 'eth_getLogs' &&
      Array.isArray(found.result) &&
      JSON.stringify(expected) === JSON.stringify(found).replaceAll(',"removed":false}', '}'),
  },
  {
    methods: 'eth_getLogs',
    topic: 'logs',
    what: 'an unknown `blockHash` is -32000 `unknown block`; the reference answers `[]`',
    why: 'decisions.md D69',
    applies: ({ method, params, expected, found }) => {
      const filter = params[0] as { blockHash?: unknown } | null
      return (
        method === 'eth_getLogs' &&
        filter?.blockHash !== undefined &&
        Array.isArray(expected.result) &&
        expected.result.length === 0 &&
        found.error?.code === -32000
      )
    },
  },
  {
    methods: 'eth_getLogs',
    topic: 'logs',
    what: 'a number beyond the head is -32602 where the node (`beyondHead`) or the API key says so',
    why: 'decisions.md D70',
    // The replay leaves the option alone.
    applies: () => false,
  },
  {
    methods: 'eth_subscribe',
    topic: 'logs',
    what: '`fromBlock` with a block hash first delivers what happened since that block',
    why: 'decisions.md D68',
    // The recorded subscriptions have none.
    applies: () => false,
  },
  {
    methods: 'all',
    topic: 'http',
    what: 'with `blockHeaders`, answers carry `X-Block-Number` and `X-Block-Hash`; `X-Min-Block` has a request wait for a block, for at most two seconds',
    why: 'decisions.md D67',
    // The recorded answers are compared without headers of their own.
    applies: () => false,
  },
  {
    methods:
      'eth_signTransaction, eth_signTypedData, eth_signTypedData_v3, eth_signTypedData_v4, personal_sign',
    topic: 'methods',
    what: 'available where the node has a wallet',
    why: 'decisions.md D50: extensions that clients expect; local wallet',
    applies: ({ method, expected }) =>
      /^(eth_sign(Transaction|TypedData(_v[34])?)|personal_sign)$/.test(method) &&
      expected.error?.code === -32601,
  },
  {
    methods: 'eth_getProof',
    topic: 'methods',
    what: 'available',
    why: 'specification.md Account proof object; decisions.md D42',
    applies: ({ method, expected }) => method === 'eth_getProof' && expected.error?.code === -32601,
  },
  {
    methods: 'debug_trace*',
    topic: 'traces',
    what: '`prestateTracer`, `4byteTracer`, `flatCallTracer`, `muxTracer`, `noopTracer` and `structLogger`, in the form of geth, are supported',
    why: "decisions.md D50: geth's tracers that explorers and debuggers ask for",
    applies: ({ expected, found, params }) =>
      expected.error?.code === -32603 &&
      found.result !== undefined &&
      /"tracer":"(prestateTracer|4byteTracer|flatCallTracer|muxTracer|noopTracer|structLogger)"/.test(
        JSON.stringify(params),
      ),
  },
  {
    methods:
      'debug_traceCall, debug_getRaw*, debug_storageRangeAt, trace_call, trace_callMany, trace_replay*',
    topic: 'methods',
    what: 'available',
    why: 'decisions.md D50: extensions that clients of today expect',
    applies: ({ expected, found, method }) =>
      expected.error?.code === -32601 &&
      found.error?.code !== -32601 &&
      /^(debug_traceCall|debug_getRaw(Header|Block|Transaction|Receipts)|debug_storageRangeAt|trace_call(Many)?|trace_replay\w+)$/.test(
        method,
      ),
  },
  {
    methods: 'trace_filter',
    topic: 'traces',
    what: '`mode` (`union` or `intersection`) is taken; a field that is not known is -32602',
    why: 'decisions.md D80',
    applies: ({ method, expected, found }) =>
      method === 'trace_filter' &&
      expected.error?.code === -32700 &&
      (found.error === undefined || found.error.code === -32602),
  },
  ...CALL_DIFFERENCES,
  ...SERVICE_DIFFERENCES,
  ...TRACE_CORRECTIONS,
]

/** A block object without what the pending block does not know, in which the reference names a block all the same. */
function withoutPositions(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return block
  const { nonce: _, ...rest } = block as { nonce?: unknown; transactions?: unknown }
  const { transactions } = rest
  const bare = (transaction: unknown) =>
    typeof transaction === 'object'
      ? { ...transaction, blockHash: null, blockNumber: null, transactionIndex: null }
      : transaction
  return Array.isArray(transactions) ? { ...rest, transactions: transactions.map(bare) } : rest
}

function sameError(expected: Answer, found: Answer): boolean {
  return expected.error?.code === found.error?.code && expected.error?.message === found.error?.message
}

function sameOutcome(expected: Answer, found: Answer): boolean {
  return (
    JSON.stringify(expected.result) === JSON.stringify(found.result) &&
    JSON.stringify(expected.error) === JSON.stringify(found.error)
  )
}
