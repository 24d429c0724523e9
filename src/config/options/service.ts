import { BEYOND_HEAD } from '../beyondHead.ts'
import type { OptionTable } from '../option.ts'
import { REVERT_FORMS } from '../revertForm.ts'

/** Largest body, as of the reference node; 5 MiB. */
const DEFAULT_BODY_BYTES = 5 * 1024 * 1024

/** Largest response, as of the reference node; 10 MiB. */
const DEFAULT_RESPONSE_BYTES = 10 * 1024 * 1024

/** More than the largest response; 16 MiB. */
const DEFAULT_BACKLOG_BYTES = 16 * 1024 * 1024

/** The JSON-RPC endpoint and how its methods behave. */
export const SERVICE_OPTIONS = {
  httpPort: {
    kind: 'integer',
    group: 'Service',
    minimum: 0,
    maximum: 65_535,
    default: 4444,
    doc: 'Port of the endpoint; 0 takes a free one',
  },
  host: {
    kind: 'text',
    group: 'Service',
    placeholder: 'ADDRESS',
    default: '127.0.0.1',
    doc: 'Address to listen on',
  },
  allowedHosts: {
    kind: 'list',
    group: 'Service',
    placeholder: 'NAME,…',
    default: ({ profile }) => (profile === 'dev' ? ['localhost'] : ['*']),
    defaultText: 'localhost on the dev profile, else *',
    doc: 'Names that the Host header may carry besides IP addresses; * for any',
  },
  corsOrigin: {
    kind: 'optionalText',
    group: 'Service',
    placeholder: 'ORIGIN,…',
    default: ({ profile }) => (profile === 'dev' ? 'loopback,extensions' : null),
    defaultText: 'loopback,extensions on the dev profile, else none',
    doc: 'Origins whose pages may read and send signed transactions: origins, loopback for pages of this machine, extensions for those of browsers, * for all',
  },
  trustedOrigins: {
    kind: 'list',
    group: 'Service',
    placeholder: 'ORIGIN,…',
    default: [],
    doc: 'Origins whose pages may also sign, change the chain and the node: origins, loopback, extensions',
  },
  page: {
    kind: 'boolean',
    group: 'Service',
    default: true,
    doc: 'Show blocks, transactions, addresses and methods to browsers at GET /',
  },
  socketIdleTimeout: {
    kind: 'integer',
    group: 'Service',
    minimum: 8,
    maximum: 960,
    default: 120,
    doc: 'Seconds without a frame, pings included, after which a WebSocket is closed',
  },
  filterTimeout: {
    kind: 'integer',
    group: 'Service',
    minimum: 1,
    maximum: 86_400,
    default: 300,
    doc: 'Seconds without a poll after which a filter is removed',
  },
  gasPriceFloor: {
    kind: 'integer',
    group: 'Service',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: ({ profile }) => (profile === 'dev' ? 1 : 0),
    defaultText: '1 on the dev profile, else 0',
    doc: 'Least answer of eth_gasPrice, in wei; signed transactions with a price of 0 are refused whatever blocks ask for',
  },
  stateOverrides: {
    kind: 'boolean',
    group: 'Service',
    default: true,
    doc: 'Accept state overrides in eth_call and eth_estimateGas',
  },
  pendingBlocks: {
    kind: 'choice',
    group: 'Service',
    values: ['answer', 'refuse'],
    default: 'answer',
    doc: 'What the five methods do with the block tag pending of which the specification calls it unsupported: eth_getCode, eth_getBlockByNumber, eth_getTransactionByBlockNumberAndIndex and the two on uncles by number',
  },
  creationCalls: {
    kind: 'choice',
    group: 'Service',
    values: ['answer', 'refuse'],
    default: 'answer',
    doc: 'What eth_call, eth_estimateGas and other simulations do with a call without `to`, which is a contract creation: the specification requires `to` on the hosted endpoint, and clients cannot deploy without',
  },
  revertErrors: {
    kind: 'choice',
    group: 'Service',
    values: REVERT_FORMS,
    // What is developed with decodes geth's form alone: viem, titanoboa and ape (decisions.md D43).
    default: ({ profile }) => (profile === 'dev' ? 'geth' : 'reference'),
    defaultText: 'geth on the dev profile, else reference',
    doc: 'How reverts of eth_call, eth_estimateGas and other simulations are told to callers whose API key does not say: reference for code -32015, geth for code 3 and execution reverted',
  },
  blockHeaders: {
    kind: 'boolean',
    group: 'Service',
    default: ({ profile }) => profile === 'hosted',
    defaultText: 'on for the hosted profile, else off',
    doc: 'Name the block of each answer in X-Block-Number and X-Block-Hash',
  },
  beyondHead: {
    kind: 'choice',
    group: 'Service',
    values: BEYOND_HEAD,
    default: 'cut',
    doc: 'What happens to a range of logs that ends beyond the head; an API key may say otherwise',
  },
  safeDistance: {
    kind: 'integer',
    group: 'Service',
    minimum: 0,
    maximum: 10_000,
    default: ({ profile }) => (profile === 'dev' ? 0 : 12),
    defaultText: '0 on the dev profile, else 12',
    doc: 'Blocks between the head and the block tag safe',
  },
  finalizedDistance: {
    kind: 'integer',
    group: 'Service',
    minimum: 0,
    maximum: 100_000,
    default: ({ profile }) => (profile === 'dev' ? 0 : 120),
    defaultText: '0 on the dev profile, else 120',
    doc: 'Blocks between the head and the block tag finalized',
  },
  maxBatchRequests: {
    kind: 'integer',
    group: 'Limits',
    minimum: 1,
    maximum: 10_000,
    // ethers sends batches of 100.
    default: ({ profile }) => (profile === 'dev' ? 1000 : 100),
    defaultText: '1000 on the dev profile, else 100',
    doc: 'Requests in one JSON-RPC batch; up to ten times as many get an error each, beyond that the batch gets one',
  },
  maxBodySize: {
    kind: 'integer',
    group: 'Limits',
    minimum: 1024,
    maximum: 1_073_741_824,
    default: DEFAULT_BODY_BYTES,
    doc: 'Body of an HTTP request, in bytes',
  },
  maxResponseSize: {
    kind: 'integer',
    group: 'Limits',
    minimum: 1024,
    maximum: 1_073_741_824,
    default: DEFAULT_RESPONSE_BYTES,
    doc: 'Answer to one HTTP request, in bytes. It does not hold for `eth_getLogs` over at most 2,000 blocks, whose answer is sent in pieces with bounded memory',
  },
  maxSocketBacklog: {
    kind: 'integer',
    group: 'Limits',
    minimum: 65_536,
    maximum: 1_073_741_824,
    default: DEFAULT_BACKLOG_BYTES,
    doc: 'Bytes that may wait for a slow WebSocket client before it is cut off',
  },
  maxConnections: {
    kind: 'integer',
    group: 'Limits',
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    doc: 'Open connections; one more is closed at once. 0 for as many as the limit of file descriptors leaves',
  },
  maxFilters: {
    kind: 'integer',
    group: 'Limits',
    minimum: 0,
    maximum: 1_000_000,
    default: 10_000,
    doc: 'Filters at the same time; one more is refused',
  },
  maxSubscriptions: {
    kind: 'integer',
    group: 'Limits',
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    doc: 'Subscriptions of one WebSocket; one more is refused',
  },
  callGasCap: {
    kind: 'integer',
    group: 'Limits',
    minimum: 21_000,
    maximum: 1_000_000_000,
    default: 10_000_000,
    doc: 'Gas of an eth_call; more is cut to it',
  },
  estimateGasCap: {
    kind: 'integer',
    group: 'Limits',
    minimum: 21_000,
    maximum: 1_000_000_000,
    default: 6_800_000,
    doc: 'Largest answer of eth_estimateGas',
  },
} as const satisfies OptionTable
