import type { MethodDefinition } from '../../src/rpc/defineMethod.ts'
import type { Chance } from './chance.ts'
import type { Facts } from './facts.ts'

type Maker = (metadata: Facts, chance: Chance) => unknown

const SMALL = ['0x0', '0x1', '0x2', '0x3'] as const
const hash: Maker = ({ blockHash, transactionHash }, chance) => chance.pick([blockHash, transactionHash])
const block: Maker = ({ blockHash }, chance) =>
  chance.pick([
    ...['latest', 'earliest', 'pending', 'safe', 'finalized', ...SMALL],
    ...[{ blockNumber: '0x1' }, { blockHash }, { blockHash, requireCanonical: true }],
  ])
const address: Maker = ({ account, token, failures }, chance) =>
  chance.pick([account, token, failures, '0x0000000000000000000000000000000001000006'])
const call: Maker = (metadata, chance) => ({
  from: metadata.account,
  to: address(metadata, chance),
  gas: chance.pick(['0x5208', '0x186a0', '0x2dc6c0']),
  gasPrice: '0x1',
  value: chance.pick(['0x0', '0x1']),
  data: chance.pick(['0x', '0x18160ddd', '0x0a9059cb', `0x70a08231${'0'.repeat(64)}`]),
})
const overrides: Maker = (metadata, chance) => ({
  [String(address(metadata, chance))]: {
    balance: '0xffff',
    nonce: '0x7',
    code: '0x60016000526001601ff3',
    stateDiff: { [`0x${'0'.repeat(64)}`]: `0x${'0'.repeat(63)}1` },
  },
})
const logFilter: Maker = (metadata, chance) =>
  chance.happens(0.3)
    ? { blockHash: metadata.blockHash }
    : {
        fromBlock: block(metadata, chance),
        toBlock: block(metadata, chance),
        address: chance.pick([metadata.token, [metadata.token, metadata.failures]]),
        topics: chance.pick([[], [null, null], [[`0x${'1'.repeat(64)}`, null]], [`0x${'d'.repeat(64)}`]]),
      }
const traceSearch: Maker = (metadata) => ({
  fromBlock: '0x0',
  toBlock: '0x3',
  fromAddress: [metadata.account],
  toAddress: [],
  mode: 'union',
  after: 0,
  count: 5,
})
const typedData: Maker = () => ({
  types: {
    EIP712Domain: [{ name: 'name', type: 'string' }],
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'sums', type: 'uint256[2][]' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'fuzz' },
  message: { to: `0x${'1'.repeat(40)}`, sums: [[1, '2']] },
})
const word: Maker = (_, chance) => `0x${chance.hex(64)}`

/** A valid value by the name that parameters of a meaning share. */
const BY_NAME: Readonly<Record<string, Maker>> = {
  address,
  block,
  blockHash: hash,
  rawBlock: ({ rawBlock }) => rawBlock,
  transactionHash: ({ transactionHash }) => transactionHash,
  call,
  overrides,
  typedData,
  positions: () => ['0x0'],
  traceTypes: (_, chance) => chance.pick([[], ['trace'], ['stateDiff'], ['trace', 'stateDiff']]),
  calls: (metadata, chance) => [1, 2].map(() => [call(metadata, chance), ['trace', 'stateDiff']]),
  blockOverrides: (_, chance) =>
    chance.pick([null, {}, { number: '0x40' }, { time: '0x7fffffff', gasLimit: '0x10000' }]),
  simulation: (metadata, chance) => ({
    blockStateCalls: [
      {
        blockOverrides: chance.pick([{}, { gasLimit: '0x100000' }]),
        stateOverrides: overrides(metadata, chance),
        calls: [call(metadata, chance)],
      },
    ],
    validation: chance.happens(0.5),
    traceTransfers: chance.happens(0.5),
    returnFullTransactions: chance.happens(0.5),
  }),
  keyStart: () => '0x',
  storageKeys: (_, chance) => [chance.pick(SMALL), `0x${'0'.repeat(63)}2`],
  fullTransactions: (_, chance) => chance.happens(0.5),
  on: () => true,
  type: (_, chance) => chance.pick(['newHeads', 'logs', 'newPendingTransactions', 'syncing']),
  seconds: () => 1,
  timestamp: () => undefined,
  blocks: () => '0x1',
  balance: () => '0xffffffffffffffff',
  nonce: (_, chance) => `0x${chance.hex(16)}`,
  passphrase: () => 'word',
  key: word,
  headerHash: word,
  mixDigest: word,
  hashrate: word,
  clientId: word,
  value: word,
  duration: () => '0x10',
}

/** A node whose id is the generator of the curve: nobody has the key 1. */
const ENODE =
  'enode://79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8@192.168.56.1:50501'

/** Where a name means something else in one method. */
const BY_METHOD: Readonly<Record<string, Maker>> = {
  'eth_getLogs filter': logFilter,
  'eth_newFilter filter': logFilter,
  'trace_filter filter': traceSearch,
  'eth_sendRawTransaction transaction': ({ rawTransaction }) => rawTransaction,
  'eth_sendRawTransactionSync transaction': ({ rawTransaction }) => rawTransaction,
  'eth_sendRawTransactionSync timeout': () => 1,
  'eth_sendTransaction transaction': call,
  'eth_signTransaction transaction': call,
  'personal_sendTransaction transaction': call,
  'eth_subscribe options': (metadata) => ({ address: metadata.token, topics: [] }),
  'trace_call block': block,
  'debug_traceCall options': (metadata, chance) => ({
    ...chance.pick(TRACERS),
    stateOverrides: overrides(metadata, chance),
    blockOverrides: { time: '0x7fffffff' },
  }),
  'mnr_submitBitcoinBlock block': (_, chance) => chance.hex(300),
  'sco_banAddress address': () => '192.168.56.1',
  'sco_unbanAddress address': () => '192.168.56.1',
  'admin_addPeer enode': () => ENODE,
  'admin_removePeer enode': () => ENODE,
}

const TRACERS = [
  {},
  { tracer: 'callTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
  { tracer: 'noopTracer' },
  { tracer: 'flatCallTracer' },
  { tracer: 'structLogger', enableMemory: true, limit: 100 },
  { tracer: 'muxTracer', tracerConfig: { callTracer: { withLog: true }, prestateTracer: {} } },
  { disableStack: true, disableMemory: true, disableStorage: true },
] as const

/** Parameters that the method should take, without some of the optional ones at the end. */
export function validParams(method: MethodDefinition, metadata: Facts, chance: Chance): unknown[] {
  const values = method.params.map(({ name, schema }) => {
    const maker = BY_METHOD[`${method.name} ${name}`] ?? BY_NAME[name]
    if (maker !== undefined) return maker(metadata, chance)
    if (name === 'options') return chance.pick(TRACERS)
    return schema['type'] === 'object' ? {} : chance.pick(SMALL)
  })
  const required = method.params.filter(({ optional }) => !optional).length
  return values.slice(0, required + chance.below(values.length - required + 1)).filter((v) => v !== undefined)
}
