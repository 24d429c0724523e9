import type { Answer, ListedDifference, Pair } from './differences.ts'

const FILTER_READS = /^eth_getFilter(Changes|Logs)$/
const EXTENSIONS =
  /^(rpc\.discover|eth_(createAccessList|getBlockReceipts|getHeaderBy(Hash|Number)|getRawTransactionBy\w+|sendRawTransactionSync|simulateV1|getWork|submitWork|submitHashrate)|txpool_contentFrom)$/
const JAVA_METHODS = /^[a-z][a-zA-Z]*$/

/** Where the service beside the calls differs on purpose. */
export const SERVICE_DIFFERENCES: readonly ListedDifference[] = [
  {
    methods:
      'rpc.discover, eth_createAccessList, eth_getBlockReceipts, eth_getHeaderBy*, eth_getRawTransactionBy*, eth_sendRawTransactionSync, eth_simulateV1, eth_getWork, eth_submitWork, eth_submitHashrate, txpool_contentFrom',
    topic: 'methods',
    what: 'available',
    why: 'decisions.md D50: extensions that clients of today expect; decisions.md D41: eth_getWork and its neighbours',
    applies: ({ method, expected, found }) =>
      EXTENSIONS.test(method) &&
      expected.error?.code === -32601 &&
      (found.result !== undefined || found.error?.code === -32602 || method === 'eth_getWork'),
  },
  {
    methods: 'admin_addPeer, admin_nodeInfo, admin_peers, admin_removePeer',
    topic: 'operations',
    what: 'available; a node without peers answers with an error',
    why: 'decisions.md D66: operators ask for peers by the methods of geth',
    applies: ({ method, expected, found }) =>
      method.startsWith('admin_') && expected.error?.code === -32601 && found.error?.code !== -32601,
  },
  {
    methods: 'eth_gasPrice',
    topic: 'transactions',
    what: 'at least 1 wei on the dev profile (option `gasPriceFloor`), even where the minimum gas price is zero',
    why: 'decisions.md D52: clients send the price they are told, and a signed price of 0 is refused by both nodes',
    applies: ({ method, expected, found }) =>
      method === 'eth_gasPrice' && expected.result === '0x0' && found.result === '0x1',
  },
  {
    methods: 'eth_sendRawTransaction, eth_sendTransaction, personal_sendTransaction',
    topic: 'transactions',
    what: 'rejections also have `data` with the compared values and the message by which clients recognise insufficient funds and underpriced replacements',
    why: 'decisions.md D53',
    applies: ({ expected, found }) =>
      expected.error?.code === -32010 && sameWithoutStats(expected.error, found.error),
  },
  {
    methods: 'eth_getTransactionByHash',
    topic: 'transactions',
    what: 'also a transaction of the pool that waits for an earlier nonce; the reference answers null',
    why: 'decisions.md D72',
    applies: ({ method, expected, found }) =>
      method === 'eth_getTransactionByHash' &&
      expected.result === null &&
      typeof found.result === 'object' &&
      found.result !== null &&
      'blockHash' in found.result &&
      found.result.blockHash === null,
  },
  {
    methods: 'eth_sendTransaction',
    topic: 'transactions',
    what: '`maxFeePerGas` is used as the gas price where there is no other; the reference ignores it and pays nothing',
    why: 'decisions.md D44',
    applies: ({ method, params: [call], expected, found }) =>
      method === 'eth_sendTransaction' &&
      typeof call === 'object' &&
      call !== null &&
      'maxFeePerGas' in call &&
      !('gasPrice' in call) &&
      typeof expected.result === 'string' &&
      typeof found.result === 'string',
  },
  {
    methods: 'personal_unlockAccount',
    topic: 'transactions',
    what: 'a number is a duration in seconds, as in geth; the reference accepts strings only',
    why: 'decisions.md D50',
    applies: ({ method, params, found }) =>
      method === 'personal_unlockAccount' && typeof params[2] === 'number' && found.error === undefined,
  },
  {
    methods: 'all',
    topic: 'errors',
    what: 'an object without a method is an invalid request: -32600',
    why: 'decisions.md D22: -32600 what is no request',
    applies: ({ method, expected, found }) =>
      method === '' && expected.error?.code === -32601 && found.error?.code === -32600,
  },
  {
    methods: 'rpc_modules',
    topic: 'operations',
    what: 'the modules of this node',
    why: 'decisions.md D50: extension; decisions.md D46: `db` and `shh` are unsupported',
    applies: ({ method, found }) => method === 'rpc_modules' && typeof found.result === 'object',
  },
  {
    methods: 'rsk_flush, rsk_shutdown',
    topic: 'operations',
    what: 'not available: acknowledged data is on disk already, and a signal stops the node',
    why: 'decisions.md D51',
    applies: ({ method, found }) => /^rsk_(flush|shutdown)$/.test(method) && found.error?.code === -32601,
  },
  {
    methods: 'names without a module (`toString`, `start` …)',
    topic: 'errors',
    what: 'unknown methods',
    why: 'decisions.md D22: -32601 unknown or unavailable method',
    applies: ({ method, expected, found }) =>
      JAVA_METHODS.test(method) && expected.error?.code === -32601 && found.error?.code === -32601,
  },
  {
    methods: 'rsk_getTransactionReceiptNodesByHash',
    topic: 'reads',
    what: 'an unknown block is null',
    why: 'decisions.md D26: receipts by hash: null',
    applies: ({ method, expected, found }) =>
      method === 'rsk_getTransactionReceiptNodesByHash' &&
      expected.error?.code === -32603 &&
      found.result === null,
  },
  {
    methods: 'eth_getFilterChanges, eth_getFilterLogs',
    topic: 'logs',
    what: 'JSON null is an invalid filter id',
    why: 'decisions.md D22: -32603 internal',
    applies: ({ method, params, found }) =>
      FILTER_READS.test(method) && params[0] === null && found.error?.message === 'filter not found',
  },
  {
    methods: 'eth_getFilterChanges, eth_getFilterLogs',
    topic: 'logs',
    what: 'logs since the last poll, each with `removed`, and none before the filter was installed; the reference begins with history, drops all but the last block between two polls, and adds new blocks to filters of one block',
    why: 'decisions.md D33; specification.md States and transitions: entries since last poll; specification.md Log object',
    applies: (pair) => FILTER_READS.test(pair.method) && isFaithfulPoll(pair),
  },
  {
    methods: 'eth_subscribe',
    topic: 'logs',
    what: 'full transactions on request (`["newPendingTransactions", true]`); a request without `jsonrpc` or with additional members is valid; named parameters are -32602',
    why: 'decisions.md D50: newPendingTransactions true; decisions.md D22: -32602 parameters',
    applies: ({ method, expected, found, params, exchange }) =>
      method === 'eth_subscribe' &&
      exchange.transport === 'ws' &&
      expected.error?.code === -32601 &&
      (found.error?.code === -32602 || params[1] === true || hasOtherMembers(exchange.request)),
  },
  {
    methods: 'eth_subscription of newHeads',
    topic: 'logs',
    what: 'the header object of the specification, without `baseEvent`',
    why: 'specification.md Subscription types: header object of newHeads',
    applies: (pair) => {
      const { recorded, own } = eventsOf(pair)
      return recorded !== null && own !== null && sameBut(recorded, own, ['baseEvent'])
    },
  },
  {
    methods: 'eth_subscription of logs',
    topic: 'logs',
    what: 'the log object of eth_getLogs: `logIndex` is the index in the block, not in the transaction, and empty `data` is `0x`',
    why: 'specification.md Log object',
    applies: (pair) => {
      const { recorded, own } = eventsOf(pair)
      if (recorded === null || own === null || !('logIndex' in own)) return false
      const data = recorded['data'] === '0x00' && own['data'] === '0x' ? '0x' : recorded['data']
      return sameBut({ ...recorded, data }, own, ['logIndex'])
    },
  },
  {
    methods: 'debug_traceBlockByNumber',
    topic: 'traces',
    what: '`msgData` of the reward transaction of the pending block is null, as that of a mined one',
    why: 'decisions.md D47',
    applies: ({ method, params, expected, found }) =>
      method === 'debug_traceBlockByNumber' &&
      params[0] === 'pending' &&
      JSON.stringify(expected) === JSON.stringify(found).replaceAll('"msgData":null', '"msgData":""'),
  },
  {
    methods: 'eth_sendRawTransaction, eth_sendTransaction',
    topic: 'transactions',
    what: 'returns the hash of a transaction that was mined at once, even when it reverted',
    why: 'decisions.md D35',
    applies: ({ method, expected, found }) =>
      /^eth_send(Raw)?Transaction$/.test(method) &&
      expected.error?.code === -32015 &&
      typeof found.result === 'string',
  },
  {
    methods: 'eth_getLogs, eth_newFilter',
    topic: 'logs',
    what: 'the limits of the specification: 10,000 logs, or 2,000 blocks without a limit on the logs; filters have none',
    why: 'decisions.md D30; specification.md Limits',
    applies: ({ method, expected, found }) =>
      /^eth_(getLogs|newFilter)$/.test(method) &&
      expected.error?.code === -32012 &&
      found.error === undefined,
  },
  {
    methods: 'eth_feeHistory, eth_maxPriorityFeePerGas, eth_blobBaseFee, eth_baseFee',
    topic: 'methods',
    what: 'unknown methods on both; here the message says how to send transactions without a type',
    why: 'decisions.md D44',
    applies: ({ expected, found }) =>
      expected.error?.code === -32601 &&
      found.error?.code === -32601 &&
      /: this network takes legacy transactions/.test(found.error.message),
  },
  {
    methods: 'debug_traceTransaction',
    topic: 'traces',
    what: 'with a tracer that is named, an unknown transaction is -32000 `transaction not found`, as geth answers; the reference has an internal error',
    why: 'decisions.md D47: errors in words of those clients',
    applies: ({ method, expected, found }) =>
      method === 'debug_traceTransaction' && expected.error?.code === -32603 && found.error?.code === -32000,
  },
  {
    methods: 'evm_snapshot, evm_revert',
    topic: 'transactions',
    what: 'no id is given twice, not even after evm_reset or evm_revert',
    why: 'decisions.md D11: what its user asks for decides',
    applies: ({ method, expected, found }) =>
      method === 'evm_snapshot' && typeof expected.result === 'string' && typeof found.result === 'string',
  },
  {
    methods: 'evm_increaseTime',
    topic: 'transactions',
    what: 'a negative number of seconds is -32602; the reference leaves the time as it is',
    why: 'decisions.md D22: -32602 parameters',
    applies: ({ method, params, found }) =>
      method === 'evm_increaseTime' && /^-/.test(String(params[0])) && found.error?.code === -32602,
  },
  {
    methods: 'eth_sendRawTransaction, eth_sendTransaction, personal_sendTransaction',
    topic: 'transactions',
    what: 'the refusal of a transaction for another chain also says which chain this is',
    why: 'decisions.md D53',
    applies: ({ method, expected, found }) =>
      /_send(Raw)?Transaction$/.test(method) &&
      expected.error?.code === found.error?.code &&
      /^Invalid chainId: /.test(expected.error?.message ?? '') &&
      / is [0-9]+$/.test(found.error?.message ?? ''),
  },
  {
    methods: 'evm_mine',
    topic: 'transactions',
    what: 'always extends the head; accepts a timestamp, or `{timestamp, blocks}`',
    why: 'decisions.md D11: the development chain is the same node with a producer of blocks, and what its user asks for decides',
    applies: ({ method, params }) => method === 'evm_mine' && params.length > 0,
  },
]

/** Whether a refusal is the recorded one but for figures, which the recorded one has not. */
const GETH_TEXTS = new Set([
  'insufficient funds for gas * price + value',
  'replacement transaction underpriced',
])

function sameWithoutStats(expected: Answer['error'], found: Answer['error']): boolean {
  const { data, ...rest } = found ?? {}
  if (typeof data !== 'object' || data === null) return false
  const { message, ...stats } = data as Readonly<Record<string, unknown>>
  return (
    (message === undefined || GETH_TEXTS.has(String(message))) &&
    Object.values(stats).every((figure) => /^-?0x(0|[1-9a-f][0-9a-f]*)$/.test(String(figure))) &&
    JSON.stringify(rest) === JSON.stringify(expected)
  )
}

/** The objects that two notifications are about; null where it is none. */
function eventsOf({ method, expected, found }: Pair): Readonly<Record<'recorded' | 'own', LogObject | null>> {
  const eventOf = ({ params }: Answer) => {
    const event = method === 'eth_subscription' ? params?.result : null
    return typeof event === 'object' ? (event as LogObject | null) : null
  }
  return { recorded: eventOf(expected), own: eventOf(found) }
}

/** Whether two objects have the same members, in any order, but for some. */
function sameBut(recorded: LogObject, own: LogObject, members: readonly string[]): boolean {
  const textOfRest = (event: LogObject) =>
    JSON.stringify(
      Object.entries(event)
        .filter(([name]) => !members.includes(name))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  return textOfRest(recorded) === textOfRest(own)
}

/** Nothing, or the recorded logs among ours, or those of the one block that the filter is about. */
function isFaithfulPoll({ expected, found }: Pair): boolean {
  const recorded = logsOf(expected)
  const own = logsOf(found)
  if (recorded === null || own === null) return false
  if (own.length === 0) return true
  const texts = new Set(own.map(textOf))
  const blocks = new Set(own.map(({ blockHash }) => blockHash))
  return recorded.every((log) => texts.has(textOf(log))) || blocks.size === 1
}

type LogObject = Readonly<Record<string, unknown>>

function logsOf({ result }: Answer): readonly LogObject[] | null {
  if (!Array.isArray(result)) return null
  return result.every((log) => typeof log === 'object' && log !== null && 'logIndex' in log) ? result : null
}

function textOf({ removed: _removed, ...log }: LogObject): string {
  return JSON.stringify(log)
}

/** Whether the members of a request are not exactly the usual four. */
function hasOtherMembers(request: unknown): boolean {
  return (
    Object.keys(request as object)
      .sort()
      .join() !== 'id,jsonrpc,method,params'
  )
}
