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

/** A way in which answers differ from the reference on purpose. */
export interface ListedDifference {
  /** Methods, for the README. */
  readonly methods: string
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
  what: 'a notification is never answered and has no slot in a batch, also when it fails',
  why: 'decisions.md D21: missing or null id is a notification',
  applies: () => false,
}

/** An array in place of the one error of the reference. Decided by the bodies, not by a pair. */
export const OVERSIZED_BATCHES: ListedDifference = {
  methods: 'all',
  what: 'a batch of more requests than it may have is answered with an array: the error of the reference for each of them, with its id; beyond ten times the limit with the error alone',
  why: 'decisions.md D45: an array with the error for each request',
  applies: () => false,
}

/** Every deliberate difference. The replay fails on any other. */
export const LISTED_DIFFERENCES: readonly ListedDifference[] = [
  ...HTTP_DIFFERENCES,
  NOTIFICATIONS,
  OVERSIZED_BATCHES,
  {
    methods: 'all',
    what: 'what the reference answers with -32603 (JSON null, numbers beyond its range, malformed transactions) is -32602 and says what is wrong',
    why: 'decisions.md D22: -32602 parameters, -32603 internal',
    applies: ({ expected, found }) => expected.error?.code === -32603 && found.error?.code === -32602,
  },
  {
    methods: 'all',
    what: 'errors always carry `jsonrpc` and `id`, `id` is null when unknown',
    why: 'decisions.md D22: always `jsonrpc` and `id` (null when unknown)',
    applies: ({ expected, found }) =>
      (expected.id === 'null' ? found.id === null : expected.id === undefined && 'id' in found) &&
      sameError(expected, found),
  },
  {
    methods: 'all',
    what: 'parameters that are no structure are -32602; an id that is a structure is -32600; no -32099',
    why: 'decisions.md D22: -32700, -32600, -32601, -32602, -32603',
    applies: ({ expected, found }) =>
      expected.error?.code === -32099 && [-32600, -32602, -32700].includes(found.error?.code ?? 0),
  },
  {
    methods: 'all',
    what: 'boolean ids are echoed',
    why: 'decisions.md D21: any JSON scalar is echoed with its type',
    applies: ({ expected, found }) => expected.error?.code === -32099 && typeof found.id === 'boolean',
  },
  {
    methods: 'all',
    what: 'numeric ids are echoed as they were written',
    why: 'decisions.md D21: any JSON scalar is echoed with its type',
    applies: ({ expected, found }) =>
      typeof expected.id === 'number' && typeof found.id === 'number' && sameOutcome(expected, found),
  },
  {
    methods: 'eth_compile*, db_*, shh_*, eth_getCompilers',
    what: '-32601 `the method <name> does not exist/is not available`',
    why: 'decisions.md D46: unsupported methods of the specification',
    applies: ({ found, method }) =>
      found.error?.code === -32601 && /^(eth_(compile|getCompilers)|db_|shh_)/.test(method),
  },
  {
    methods:
      'eth_getTransactionCount, eth_getCode, eth_getStorageAt, eth_call, eth_getBlockByHash, eth_getBlockByNumber, eth_estimateGas',
    what: 'trailing parameters are optional where the specification or the execution-apis say so; blocks may be overridden',
    why: 'decisions.md D25: optional where the specification or the execution-apis say so',
    applies: ({ expected, method, params }) =>
      expected.error?.message === 'method parameters invalid' && OPTIONAL_IN_SPEC[method] === params.length,
  },
  {
    methods: 'with a block parameter',
    what: '`safe` and `finalized` are answered',
    why: 'decisions.md D34: head − 12 and head − 120, the head on dev profiles',
    applies: ({ expected, params }) =>
      expected.error !== undefined && /"(safe|finalized)"/.test(JSON.stringify(params)),
  },
  {
    methods: [...PENDING_UNSUPPORTED].join(', '),
    what: '`pending` is answered unless `pendingBlocks` is `refuse`; the pending block has no `nonce`, its transactions no place',
    why: 'decisions.md D28: answered, as by the reference and as clients need it; decisions.md D38: `nonce` null when pending; specification.md Transaction object',
    applies: ({ expected, found, method, params }) =>
      PENDING_UNSUPPORTED.has(method) &&
      params[0] === 'pending' &&
      isDeepStrictEqual(withoutPlaces(expected.result), withoutPlaces(found.result)),
  },
  {
    methods: 'with a block parameter',
    what: '`requireCanonical` as boolean; a block hash also for eth_call and eth_getCode; side blocks are read themselves',
    why: 'decisions.md D27: honoured also for side blocks; `requireCanonical` boolean or string',
    applies: ({ expected, params }) =>
      (expected.error?.code === -32603 ||
        expected.result === null ||
        /"blockHash"/.test(JSON.stringify(params))) &&
      /0x[0-9a-f]{64}"(}|,"require|\]|$)/.test(JSON.stringify(params)),
  },
  {
    methods: 'eth_getCode',
    what: 'an unknown block is -32600 `Block <v> not found`',
    why: 'decisions.md D26: state reads: -32600',
    applies: ({ found, method }) => method === 'eth_getCode' && found.error?.code === -32600,
  },
  {
    methods: 'eth_getBlockByNumber',
    what: 'a number of more than 64 bits is no block; the reference takes its low bits',
    why: 'decisions.md D26: blocks: null',
    applies: ({ found, method, params }) =>
      method === 'eth_getBlockByNumber' &&
      found.result === null &&
      /^0x[0-9a-f]{17,63}$/.test(String(params[0])),
  },
  {
    methods: 'eth_getUncleByBlockHashAndIndex, eth_getUncleByBlockNumberAndIndex',
    what: '`transactions` is empty',
    why: 'specification.md Block object: uncle methods return the same shape without individual transactions',
    applies: ({ expected, found, method }) =>
      method.startsWith('eth_getUncleByBlock') &&
      JSON.stringify({ ...(expected.result as object), transactions: [] }) === JSON.stringify(found.result),
  },
  {
    methods: 'web3_sha3',
    what: '`0x` is the empty string',
    why: 'specification.md Conventions: DATA',
    applies: ({ method, params }) => method === 'web3_sha3' && params[0] === '0x',
  },
  {
    methods: 'web3_clientVersion',
    what: 'the name of this node',
    why: 'specification.md Methods with full shape: client version',
    applies: ({ method, found }) => method === 'web3_clientVersion' && typeof found.result === 'string',
  },
  {
    methods: 'eth_getLogs',
    what: 'explicit ends the wrong way round are -32602; `toBlock: earliest` is block 0; decimal numbers are taken, `toBlock` beyond the head is cut however large',
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
    what: 'each log has `removed`, which is false',
    why: 'decisions.md D49: `removed` everywhere; clients refuse logs without it',
    applies: ({ method, expected, found }) =>
      method === 'eth_getLogs' &&
      Array.isArray(found.result) &&
      JSON.stringify(expected) === JSON.stringify(found).replaceAll(',"removed":false}', '}'),
  },
  {
    methods:
      'eth_signTransaction, eth_signTypedData, eth_signTypedData_v3, eth_signTypedData_v4, personal_sign',
    what: 'answered where the node has a wallet',
    why: 'decisions.md D50: extensions that clients expect; local wallet',
    applies: ({ method, expected }) =>
      /^(eth_sign(Transaction|TypedData(_v[34])?)|personal_sign)$/.test(method) &&
      expected.error?.code === -32601,
  },
  {
    methods: 'eth_getProof',
    what: 'answered',
    why: 'specification.md Account proof object; decisions.md D42',
    applies: ({ method, expected }) => method === 'eth_getProof' && expected.error?.code === -32601,
  },
  {
    methods: 'debug_trace*',
    what: '`prestateTracer`, `4byteTracer`, `flatCallTracer`, `muxTracer`, `noopTracer` and `structLogger`, which has the form of geth, are answered',
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
    what: 'answered',
    why: 'decisions.md D50: extensions that clients of today expect',
    applies: ({ expected, found, method }) =>
      expected.error?.code === -32601 &&
      found.error?.code !== -32601 &&
      /^(debug_traceCall|debug_getRaw(Header|Block|Transaction|Receipts)|debug_storageRangeAt|trace_call(Many)?|trace_replay\w+)$/.test(
        method,
      ),
  },
  ...CALL_DIFFERENCES,
  ...SERVICE_DIFFERENCES,
  ...TRACE_CORRECTIONS,
]

/** A block object without what the pending block does not know, in which the reference names a block all the same. */
function withoutPlaces(block: unknown): unknown {
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
