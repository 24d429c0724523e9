import t from 'tap'
import { ALL_MODULES } from '../../../src/rpc/availability.ts'
import type { NodeContext } from '../../../src/rpc/context.ts'
import { defineMethod } from '../../../src/rpc/defineMethod.ts'
import { ERROR_TABLE, RpcError, type RpcErrorKind } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { createLocalService, type LocalServiceOptions } from '../../support/ask.ts'
import { createChainContext, TEST_SETTINGS } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'
import { readVectorLines } from '../../support/vectors.ts'
import { openDevNode } from './evm/devNode.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const recorded = createChainContext(new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD))
const HASH = `0x${'ab'.repeat(32)}`
const COW_ADDRESS = toHex(COW.address)
/** A block beside the recorded chain. */
const SIDE_BLOCK = '0x80acfea60046f0655804178c44729df224fced0cdc7a8d3e0402535f7d89a3f6'
const HEADER = '00'.repeat(80)

const request = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const failing = (name: string, fail: () => never) =>
  defineMethod({ name, doc: '', params: [], result: {}, lane: 'read', cost: 1, cache: 'none', handler: fail })

async function askService(body: string, context: NodeContext = recorded, options: LocalServiceOptions = {}) {
  const service = createLocalService(context, options)
  try {
    return await service.ask(body)
  } finally {
    service.close()
  }
}

/** What brings about each kind of error where parameters alone decide, with its text. */
const BY_BODY: readonly (readonly [kind: RpcErrorKind, body: string, message: string | RegExp])[] = [
  ['parse', 'hello', 'JSON parse error'],
  ['parse', ' \n', 'JSON parse error'],
  ['invalidRequest', '5', 'invalid request'],
  ['invalidRequest', 'null', 'invalid request'],
  ['invalidRequest', `${'['.repeat(2000)}${']'.repeat(2000)}`, 'Invalid request'],
  ['invalidRequest', '{}', 'invalid request'],
  ['methodNotFound', request('eth_foo'), 'method not found'],
  [
    'methodUnavailable',
    request('eth_getCompilers'),
    'the method eth_getCompilers does not exist/is not available',
  ],
  ['methodUnavailable', request('shh_post'), 'the method shh_post does not exist/is not available'],
  ['methodUnavailable', request('rsk_flush'), 'the method rsk_flush does not exist/is not available'],
  ['methodUnavailable', request('rsk_shutdown'), 'the method rsk_shutdown does not exist/is not available'],
  ['methodUnavailable', request('db_getHex'), 'the method db_getHex does not exist/is not available'],
  ['methodUnavailable', request('eth_getWork'), 'the method eth_getWork does not exist/is not available'],
  ['methodUnavailable', request('eth_submitWork', ['0x1', '0x2', '0x3']), /eth_submitWork does not exist/],
  ['methodUnavailable', request('eth_submitHashrate', ['0x1', '0x2']), /eth_submitHashrate does not exist/],
  ['invalidParams', request('eth_chainId', [1]), 'method parameters invalid'],
  ['invalidParams', request('eth_getBlockByHash', ['0x12', true]), 'Invalid block hash: incorrect length.'],
  ['invalidParams', request('eth_getBlockByNumber', ['', true]), 'Invalid block identifier: empty or null.'],
  ['invalidParams', request('eth_getBlockByNumber', ['zz']), "Invalid block identifier 'zz'"],
  ['invalidParams', request('eth_getBlockByNumber', ['5']), 'invalid blocknumber 5'],
  ['invalidParams', request('eth_getBlocksByNumber', ['zz']), 'invalid blocknumber zz'],
  ['invalidParams', request('rsk_getRawBlockHeaderByNumber', ['']), 'invalid blocknumber '],
  ['invalidParams', request('ext_getRawBlockHeaderByNumber', ['genesis']), 'invalid blocknumber genesis'],
  ['invalidParams', request('web3_sha3', ['hello']), /must be hexadecimal encoded with the '0x' prefix/],
  [
    'invalidParams',
    request('eth_getTransactionByBlockNumberAndIndex', ['0x1', 'zz']),
    /should be a hex value string/,
  ],
  [
    'invalidParams',
    request('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x']),
    /must be a valid hex number/,
  ],
  ['invalidParams', request('eth_getLogs', [{ blockHash: HASH, fromBlock: '0x0' }]), /Cannot specify both/],
  ['invalidParams', request('eth_getLogs', [{ topics: ['0x12'] }]), 'Invalid topic: incorrect length.'],
  ['invalidParams', request('trace_get', [HASH, []]), "'positions' cannot be null or empty"],
  ['invalidParams', request('trace_get', [HASH, ['0x0', '0x1']]), "'positions' accepts only one index"],
  ['invalidParams', request('trace_get', [null, ['0x0']]), /null/],
  ['invalidParams', request('sco_banAddress', ['127.0.0.1']), 'invalid banned address 127.0.0.1'],
  ['invalidParams', request('sco_unbanAddress', ['nonsense!']), 'invalid banned address nonsense!'],
  [
    'invalidParams',
    request('debug_accountTransactionQuota', ['0x12']),
    /has length 2, want 40 for RSK address/,
  ],
  ['unknownBlock', request('eth_getLogs', [{ blockHash: HASH }]), /^unknown block 0x/],
  ['notFound', request('eth_getBlockTransactionCountByNumber', ['0xffff']), 'Block 0xffff not found'],
  ['notFound', request('eth_getUncleCountByBlockNumber', ['0xffff']), 'Block 0xffff not found'],
  ['internal', request('mnr_getWork'), 'Internal server error'],
  ['walletDisabled', request('personal_listAccounts'), 'The local wallet feature is disabled'],
  [
    'miningRefused',
    request('mnr_submitBitcoinBlockPartialMerkle', ['', HEADER, 'ab', '', '1']),
    /can't be empty/,
  ],
]

t.test('errors that the request alone brings about', async (t) => {
  for (const [kind, body, message] of BY_BODY) {
    const { text, status } = await askService(body)
    const { code, status: expected = 200 } = ERROR_TABLE[kind]
    t.match(JSON.parse(text), { jsonrpc: '2.0', error: { code, message } }, body.slice(0, 90))
    t.equal(status, expected, body.slice(0, 90))
  }
})

t.test(
  'a trace of a block whose parent is gone names the parent as the reference names states',
  async (t) => {
    const { chain } = recorded
    const parentHash = chain.hashByNumber(5) ?? HEAD
    const context: NodeContext = {
      ...recorded,
      chain: Object.create(chain, {
        headerByHash: {
          value: (hash: Buffer) => (hash.equals(parentHash) ? null : chain.headerByHash(hash)),
        },
      }) as NodeContext['chain'],
    }
    const { text } = await askService(request('debug_traceBlockByNumber', ['0x6']), context)
    t.match(JSON.parse(text), {
      error: { code: -32600, message: `State not found for block with hash ${parentHash.toString('hex')}` },
    })
  },
)

t.test('errors of the state and of the pool', async (t) => {
  const { answer, ask } = await openDevNode(t)
  const send = (given: Parameters<typeof signedTransaction>[0]) =>
    answer('eth_sendRawTransaction', toHex(signedTransaction(given).encoded))
  const refused = (message: string) => ({ error: { code: -32010, message } })
  t.match(await send({ from: STRANGER }), refused("the sender account doesn't exist"))
  t.match(await send({ nonce: 99n }), refused('transaction nonce too high'))
  t.match(await send({ gasLimit: 20_000n }), refused("transaction's basic cost is above the gas limit"))
  t.match(
    await send({ value: 1n << 200n }),
    refused('insufficient funds to pay for pending and new transactions'),
  )
  t.match(await send({}), { result: /^0x/ })
  t.match(await send({}), refused('pending transaction with same hash already exists'))
  t.match(await send({ value: 2n }), refused('gas price not enough to bump transaction'))
  await ask('evm_mine')
  t.match(await send({ value: 3n }), refused('transaction nonce too low'))
  t.match(await send({ chainId: 30, nonce: 1n }), { error: { code: -32602, message: 'Invalid chainId: 30' } })
  t.match(await answer('eth_sendRawTransaction', '0xdeadbeef'), {
    error: { code: -32602, message: /^Invalid input: / },
  })
  t.match(await answer('eth_sendTransaction', {}), { error: { code: -32602, message: 'from is null' } })
  t.match(await answer('eth_sign', toHex(STRANGER.address), '0x00'), {
    error: { code: -32602, message: 'Account not found' },
  })
  t.match(await answer('eth_getFilterChanges', '0xff'), {
    error: { code: -32000, message: 'filter not found' },
  })
  t.match(await answer('eth_getBalance', COW_ADDRESS, '0xffff'), {
    error: { code: -32600, message: 'Block 0xffff not found' },
  })
  t.match(await answer('eth_getBalance', COW_ADDRESS, { blockHash: HASH }), {
    error: { code: -32600, message: `Block with hash ${HASH} not found` },
  })
  t.match(await answer('eth_call', { to: COW_ADDRESS }, '0xffff'), {
    error: { code: -32602, message: 'Invalid block number 65535' },
  })
  t.match(await answer('eth_call', { data: '0xfe' }, 'latest'), { error: { code: -32015 } })
  t.match(await answer('eth_call', { data: '0x60006000fd' }, 'latest'), {
    error: {
      code: 3,
      message: 'execution reverted',
      data: '0x',
    },
  })
  t.match(
    await answer('eth_estimateGas', { from: toHex(STRANGER.address), to: COW_ADDRESS, value: '0xffffffff' }),
    {
      error: { code: -32000, message: 'insufficient funds for transfer' },
    },
  )
  t.match(await answer('eth_estimateGas', { from: COW_ADDRESS, data: '0xfe' }), { error: { code: -32000 } })
  t.match(await answer('eth_estimateGas', { from: COW_ADDRESS, to: COW_ADDRESS, gas: '0x5207' }), {
    error: { code: -32000, message: 'gas required exceeds allowance (20999)' },
  })
  t.match(await answer('eth_subscribe', 'newHeads'), { error: { code: -32601, message: 'method not found' } })
})

t.test('blocks that are not canonical, and states that are not there', async (t) => {
  const { live } = await openDevNode(t)
  const blockHash = SIDE_BLOCK
  const getBalance = (selector: unknown, context: NodeContext) =>
    askService(request('eth_getBalance', [COW_ADDRESS, selector]), context)
  for (const requireCanonical of [true, 'true']) {
    t.match(JSON.parse((await getBalance({ blockHash, requireCanonical }, recorded)).text), {
      error: {
        code: -32600,
        message: `Block with hash ${blockHash} is not canonical and it is required`,
      },
    })
  }
  const stateless = { ...recorded, state: live.node.context.state }
  for (const selector of [{ blockHash }, { blockHash, requireCanonical: false }]) {
    t.match(JSON.parse((await getBalance(selector, stateless)).text), {
      error: { code: -32600, message: `State not found for block with hash ${blockHash.slice(2)}` },
    })
  }
})

t.test('limits', async (t) => {
  const batch = `[${Array.from({ length: 3 }, () => request('eth_chainId')).join()}]`
  const text = 'Cannot dispatch batch requests. 2 is the max number of supported batch requests'
  const refused = { id: 1, error: { code: -32600, message: text } }
  t.match(JSON.parse((await askService(batch, recorded, { batch: 2 })).text), [refused, refused, refused])
  const block = request('eth_getBlockByNumber', ['0x6', true])
  t.match(JSON.parse((await askService(block, recorded, { answerBytes: 900 })).text), {
    error: { code: -32011, message: 'Response size limit of 900 bytes exceeded' },
  })
  const narrow = { ...TEST_SETTINGS, logBlocks: 2, logCount: 3 }
  const context = { ...recorded, node: { ...recorded.node, settings: narrow } }
  const logs = await askService(request('eth_getLogs', [{ fromBlock: '0x0' }]), context)
  t.match(JSON.parse(logs.text), { error: { code: -32012, message: /^Filter returned more than 3 logs\./ } })
})

t.test('no kind of error is without its code and text, and a fault shows nothing of itself', async (t) => {
  const kinds = Object.keys(ERROR_TABLE) as RpcErrorKind[]
  const methods = [
    ...METHODS,
    ...kinds.map((kind) =>
      failing(`test_${kind}`, () => {
        throw new RpcError(kind)
      }),
    ),
    failing('test_fault', () => {
      throw new TypeError('secret at /a/path')
    }),
  ]
  for (const kind of kinds) {
    const { code, message } = ERROR_TABLE[kind]
    const { text } = await askService(request(`test_${kind}`), recorded, { methods })
    t.match(JSON.parse(text), { error: { code, message } }, kind)
  }
  t.equal(
    (await askService(request('test_fault'), recorded, { methods })).text,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal server error"}}',
  )
})

t.test('a hosted endpoint asks for blocks and holds no keys', async (t) => {
  const { live, ask } = await openDevNode(t)
  await ask('evm_mine')
  const { context } = live.node
  const settings = { ...context.node.settings, hosted: true }
  const { interrupt } = recorded
  const hosted = { ...context, interrupt, node: { ...context.node, settings } }
  const answer = async (method: string, ...params: unknown[]) =>
    JSON.parse((await askService(request(method, params), hosted)).text) as object
  t.match(await answer('eth_getCode', COW_ADDRESS), {
    error: { code: -32602, message: 'method parameters invalid' },
  })
  t.match(await answer('eth_call', { to: COW_ADDRESS }), {
    error: { code: -32602, message: 'method parameters invalid' },
  })
  t.same(await answer('eth_accounts'), { jsonrpc: '2.0', id: 1, result: [] })
  t.same(await answer('eth_pendingTransactions'), { jsonrpc: '2.0', id: 1, result: [] })
})

t.test('calls without `to` are creations, unless they are refused', async (t) => {
  // Returns one byte of code.
  const creation = { from: COW_ADDRESS, data: '0x600160005360016000f3' }
  const requests: readonly (readonly [method: string, ...params: unknown[]])[] = [
    ['eth_call', creation, 'latest'],
    ['eth_estimateGas', creation],
    ['eth_createAccessList', creation, 'latest'],
    ['debug_traceCall', creation, 'latest'],
    ['trace_call', creation, ['trace'], 'latest'],
  ]
  for (const creationCalls of ['answer', 'refuse'] as const) {
    const { answer } = await openDevNode(t, { creationCalls, profile: 'hosted', modules: ['*'] })
    for (const [method, ...params] of requests) {
      const { result, error } = await answer(method, ...params)
      if (creationCalls === 'refuse') t.same(error, { code: -32602, message: 'to is required' }, method)
      else t.ok(result, method)
    }
  }
})

t.test('only public modules are open on the hosted profile', async (t) => {
  const { fillDefaults } = await import('../../../src/config/load.ts')
  const { enabledMethodsFromConfig } = await import('../../../src/node/nodeInfo.ts')
  const enabled = enabledMethodsFromConfig(fillDefaults({ profile: 'hosted' }))
  for (const name of [
    'evm_mine',
    'hardhat_setBalance',
    'personal_listAccounts',
    'mnr_getWork',
    'sco_peerList',
    'debug_traceCall',
    'txpool_content',
  ]) {
    const { text } = await askService(request(name), recorded, { enabled })
    t.match(JSON.parse(text), {
      error: { code: -32601, message: `the method ${name} does not exist/is not available` },
    })
  }
  t.match((await askService(request('eth_chainId'), recorded, { enabled })).text, /"result":"0x21"/)
  t.same(enabledMethodsFromConfig(fillDefaults({})).modules, [ALL_MODULES])
})
