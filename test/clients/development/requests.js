import { readFileSync } from 'node:fs'
import { Wallet } from 'ethers'

const artefact = JSON.parse(readFileSync(new URL('../../contracts/Token.json', import.meta.url), 'utf8'))
const word = (value) => BigInt(value).toString(16).padStart(64, '0')
const STRANGER = `0x${'0a'.repeat(20)}`
const ETHER = '0xde0b6b3a7640000'
/** Of the third account of the test mnemonic. */
const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const TYPED = {
  domain: { name: 'Try', chainId: 1 },
  primaryType: 'Word',
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Word: [{ name: 'text', type: 'string' }],
  },
  message: { text: 'hello' },
}

/** The scene of a node: a token, a transfer of it and the accounts. */
export async function prepare(ask) {
  const [first, second] = await ask('eth_accounts')
  const mined = async (transaction) => {
    const hash = await ask('eth_sendTransaction', { from: first, gas: '0x200000', ...transaction })
    for (;;) {
      const receipt = await ask('eth_getTransactionReceipt', hash)
      if (receipt !== null) return receipt
    }
  }
  const { contractAddress: token } = await mined({ data: `${artefact.bytecode}${word(10n ** 24n)}` })
  const { transactionHash, blockNumber } = await mined({
    to: token,
    data: `0xa9059cbb${word(second)}${word(1000)}`,
  })
  const wallet = new Wallet(KEY)
  const signed = async () =>
    wallet.signTransaction({
      ...{ type: 0, to: second, value: 1n, gasLimit: 21_000n, gasPrice: BigInt(await ask('eth_gasPrice')) },
      chainId: BigInt(await ask('eth_chainId')),
      nonce: Number(await ask('eth_getTransactionCount', wallet.address, 'latest')),
    })
  return { first, second, token, transactionHash, blockNumber, signed, made: {} }
}

const now = () => Math.floor(Date.now() / 1000)
const balanceOf = async (ask, { token }, owner) =>
  BigInt(await ask('eth_call', { to: token, data: `0x70a08231${word(owner)}` }, 'latest'))
const allowanceOf = async (ask, { token, first }, spender) =>
  BigInt(await ask('eth_call', { to: token, data: `0xdd62ed3e${word(first)}${word(spender)}` }, 'latest'))

/**
 * What developers ask a node of their own for: groups of requests by the names that Hardhat's and Foundry's documents
 * give them. Each has its parameters, and where an answer alone shows little, a look at what it did.
 */
export const REQUESTS = {
  'accounts and signatures': [
    ['eth_accounts', () => []],
    ['eth_requestAccounts', () => []],
    ['eth_sign', ({ first }) => [first, '0x1234']],
    ['personal_sign', ({ first }) => ['0x1234', first]],
    ['eth_signTypedData_v4', ({ first }) => [first, TYPED]],
    [
      'eth_signTransaction',
      ({ first, second }) => [
        { from: first, to: second, value: '0x1', gas: '0x5208', gasPrice: '0x77359400', nonce: '0x9' },
      ],
    ],
    ['hardhat_impersonateAccount', () => [STRANGER]],
    [
      'hardhat_setBalance',
      () => [STRANGER, ETHER],
      async (ask) => (await ask('eth_getBalance', STRANGER, 'latest')) === ETHER,
    ],
    [
      'anvil_addBalance',
      () => [STRANGER, '0x1'],
      async (ask) => BigInt(await ask('eth_getBalance', STRANGER, 'latest')) === BigInt(ETHER) + 1n,
    ],
    ['eth_sendTransaction', ({ second }) => [{ from: STRANGER, to: second, value: '0x1', gas: '0x5208' }]],
    [
      'eth_sendUnsignedTransaction',
      ({ second }) => [{ from: STRANGER, to: second, value: '0x1', gas: '0x5208' }],
    ],
    ['hardhat_stopImpersonatingAccount', () => [STRANGER]],
    ['anvil_autoImpersonateAccount', () => [true]],
  ],
  'edits of the state': [
    [
      'hardhat_setNonce',
      () => [`0x${'0b'.repeat(20)}`, '0x7'],
      async (ask) => (await ask('eth_getTransactionCount', `0x${'0b'.repeat(20)}`, 'latest')) === '0x7',
    ],
    [
      'hardhat_setCode',
      () => [`0x${'0c'.repeat(20)}`, '0x00'],
      async (ask) => (await ask('eth_getCode', `0x${'0c'.repeat(20)}`, 'latest')) === '0x00',
    ],
    [
      'hardhat_setStorageAt',
      ({ token }) => [token, '0x20', `0x${word(5)}`],
      async (ask, { token }) => BigInt(await ask('eth_getStorageAt', token, '0x20', 'latest')) === 5n,
    ],
    [
      'anvil_dealERC20',
      ({ token }) => [STRANGER, token, '0x64'],
      async (ask, scene) => (await balanceOf(ask, scene, STRANGER)) === 100n,
    ],
    [
      'anvil_setERC20Allowance',
      ({ first, token }) => [first, STRANGER, token, '0x65'],
      async (ask, scene) => (await allowanceOf(ask, scene, STRANGER)) === 101n,
    ],
    ['hardhat_setCoinbase', () => [STRANGER]],
    ['hardhat_setMinGasPrice', () => ['0x1']],
    ['hardhat_setNextBlockBaseFeePerGas', () => ['0x3b9aca00']],
    ['hardhat_setPrevRandao', () => [`0x${word(1)}`]],
  ],
  'blocks and time': [
    ['evm_mine', () => []],
    ['hardhat_mine', () => ['0x3', '0x2']],
    [
      'evm_snapshot',
      () => [],
      (_, { made }, answer) => {
        made.snapshot = answer
        return true
      },
    ],
    ['evm_increaseTime', () => [60]],
    ['evm_setNextBlockTimestamp', () => [now() + 10_000]],
    ['evm_setTime', () => [(now() + 20_000) * 1000]],
    ['evm_revert', ({ made }) => [made.snapshot], (_, __, answer) => answer === true],
    ['evm_setIntervalMining', () => [0]],
    ['evm_setAutomine', () => [true]],
    ['hardhat_getAutomine', () => [], (_, __, answer) => answer === true],
    ['anvil_getIntervalMining', () => []],
    ['evm_setBlockGasLimit', () => ['0x989680']],
    ['anvil_setBlockTimestampInterval', () => [1]],
    ['anvil_removeBlockTimestampInterval', () => []],
  ],
  'transactions and calls': [
    ['eth_sendRawTransactionSync', async ({ signed }) => [await signed()]],
    [
      'eth_estimateGas',
      ({ first, token }) => [
        { from: first, to: token, data: `0xa9059cbb${word(STRANGER)}${word(1)}` },
        'latest',
        { [token]: { balance: '0x1' } },
      ],
    ],
    [
      'eth_call',
      ({ token }) => [
        { to: token, data: '0x313ce567' },
        'latest',
        { [token]: { code: '0x602a60005260206000f3' } },
      ],
      (_, __, answer) => BigInt(answer) === 42n,
    ],
    ['eth_createAccessList', ({ token }) => [{ to: token, data: '0x18160ddd' }]],
    [
      'eth_simulateV1',
      ({ token }) => [{ blockStateCalls: [{ calls: [{ to: token, data: '0x18160ddd' }] }] }, 'latest'],
    ],
    ['eth_getBlockReceipts', ({ blockNumber }) => [blockNumber]],
    ['eth_getProof', ({ token }) => [token, [`0x${word(2)}`], 'latest']],
    ['eth_feeHistory', () => ['0x2', 'latest', []]],
    ['eth_maxPriorityFeePerGas', () => []],
    ['txpool_content', () => []],
    ['txpool_status', () => []],
    ['anvil_dropAllTransactions', () => []],
  ],
  'looking inside': [
    ['debug_traceTransaction', ({ transactionHash }) => [transactionHash, {}]],
    [
      'debug_traceCall',
      ({ token }) => [{ to: token, data: '0x18160ddd' }, 'latest', { tracer: 'callTracer' }],
      (_, __, { type }) => type === 'CALL',
    ],
    ['trace_transaction', ({ transactionHash }) => [transactionHash]],
    ['trace_filter', ({ blockNumber }) => [{ fromBlock: blockNumber, toBlock: blockNumber }]],
    ['ots_getTransactionError', ({ transactionHash }) => [transactionHash]],
    ['ots_getContractCreator', ({ token }) => [token], (_, { first }, { creator }) => creator === first],
    ['erigon_getHeaderByNumber', ({ blockNumber }) => [blockNumber]],
    ['hardhat_setLoggingEnabled', () => [true]],
  ],
  'the whole chain': [
    ['anvil_nodeInfo', () => []],
    ['hardhat_metadata', () => []],
    [
      'anvil_dumpState',
      () => [],
      (_, { made }, answer) => {
        made.dump = answer
        return true
      },
    ],
    ['anvil_loadState', ({ made }) => [made.dump]],
    ['anvil_reorg', () => [1, []]],
    ['hardhat_reset', () => []],
  ],
}
