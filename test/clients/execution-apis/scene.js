import { readFileSync } from 'node:fs'

const artefact = JSON.parse(readFileSync(new URL('../../contracts/Token.json', import.meta.url), 'utf8'))
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
/** `transfer(0x…01, 1)`, then `transfer(0x…01, 2^255)`, which is more than there is. */
const TRANSFER = `0xa9059cbb${'1'.padStart(64, '0')}${'1'.padStart(64, '0')}`
const SUPPLY = (10n ** 24n).toString(16).padStart(64, '0')

/** Asks the node; the answer as it comes. */
export async function ask(method, params) {
  const response = await fetch(process.env.NODE_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.json()
}

async function result(method, ...params) {
  const { result, error } = await ask(method, params)
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}

/** A chain with everything that answers can contain, and every request whose answer has a schema. */
export async function makeScene() {
  const [sender, other] = await result('eth_accounts')
  const gasPrice = await result('eth_gasPrice')
  const send = async (fields) => {
    const hash = await result('eth_sendTransaction', { from: sender, gas: '0x2dc6c0', gasPrice, ...fields })
    for (;;) {
      const receipt = await result('eth_getTransactionReceipt', hash)
      if (receipt !== null) return receipt
    }
  }
  const made = await send({ data: `${artefact.bytecode}${SUPPLY}` })
  await result('hardhat_mine', `0x${FORK_BLOCK.toString(16)}`)
  const token = made.contractAddress
  const filters = {
    logs: await result('eth_newFilter', { address: token, fromBlock: '0x0' }),
    blocks: await result('eth_newBlockFilter'),
    pending: await result('eth_newPendingTransactionFilter'),
    old: await result('eth_newBlockFilter'),
  }
  const moved = await send({ to: token, data: TRANSFER })
  const failed = await send({ to: token, data: `0xffffffff`, gas: '0x186a0' })
  const paid = await send({ to: other, value: '0x1', gas: '0x5208' })
  const signed = async (nonce) => {
    const fields = { from: sender, to: other, value: '0x1', gas: '0x5208', gasPrice, nonce }
    const answer = await result('eth_signTransaction', fields)
    return answer.raw ?? answer
  }
  const nonce = Number(await result('eth_getTransactionCount', sender, 'latest'))
  const raw = await signed(`0x${nonce.toString(16)}`)
  const waits = `0x${(nonce + 5).toString(16)}`
  const waiting = { from: sender, to: other, gas: '0x5208', gasPrice, nonce: waits }
  await result('eth_sendTransaction', waiting)
  const call = { from: sender, to: token, data: TRANSFER }
  const none = `0x${'12'.repeat(32)}`
  const { blockHash, blockNumber } = moved
  return [
    ['eth_accounts', []],
    ['eth_blockNumber', []],
    ['eth_chainId', []],
    ['eth_coinbase', []],
    ['eth_gasPrice', []],
    ['eth_syncing', []],
    ['net_version', []],
    ['web3_clientVersion', []],
    ['eth_call', [call, 'latest']],
    ['eth_call', [call]],
    ['eth_estimateGas', [call]],
    ['eth_estimateGas', [call, 'latest']],
    ['eth_createAccessList', [{ ...call, gasPrice }, 'latest']],
    ['eth_getBalance', [sender, 'latest']],
    ['eth_getBalance', [sender]],
    ['eth_getBalance', [sender, 'safe']],
    ['eth_getBalance', [sender, 'finalized']],
    ['eth_getBalance', [sender, { blockHash }]],
    ['eth_getCode', [token, 'latest']],
    ['eth_getCode', [sender, 'latest']],
    ['eth_getCode', [token, 'pending']],
    ['eth_getStorageAt', [token, '0x2', 'latest']],
    ['eth_getStorageAt', [token, '0xff', 'latest']],
    ['eth_getTransactionCount', [sender, 'pending']],
    ['eth_getTransactionCount', [sender]],
    ['eth_getProof', [token, ['0x2', '0xff'], 'latest']],
    ['eth_getProof', [other, [], 'latest']],
    ['eth_getProof', [`0x${'9'.repeat(40)}`, [], 'latest']],
    ...[true, false].flatMap((full) => [
      ['eth_getBlockByHash', [blockHash, full]],
      ['eth_getBlockByHash', [none, full]],
      ...['earliest', 'latest', 'safe', 'finalized', 'pending', '0x1', blockNumber, '0xffffffff'].map(
        (tag) => ['eth_getBlockByNumber', [tag, full]],
      ),
    ]),
    ...[blockNumber, made.blockNumber, 'latest', 'earliest', '0xffffffff'].map((tag) => [
      'eth_getBlockReceipts',
      [tag],
    ]),
    ...[blockHash, none].flatMap((hash) => [
      ['eth_getBlockTransactionCountByHash', [hash]],
      ['eth_getUncleCountByBlockHash', [hash]],
      ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0']],
      ['eth_getTransactionByBlockHashAndIndex', [hash, '0xff']],
    ]),
    ...[blockNumber, 'latest', '0xffffffff'].flatMap((tag) => [
      ['eth_getBlockTransactionCountByNumber', [tag]],
      ['eth_getUncleCountByBlockNumber', [tag]],
      ['eth_getTransactionByBlockNumberAndIndex', [tag, '0x0']],
      ['eth_getTransactionByBlockNumberAndIndex', [tag, '0xff']],
    ]),
    // The block's last transaction on this chain is REMASC's.
    ['eth_getTransactionByBlockNumberAndIndex', [blockNumber, '0x1']],
    ...[made, moved, failed, paid].flatMap(({ transactionHash }) => [
      ['eth_getTransactionByHash', [transactionHash]],
      ['eth_getTransactionReceipt', [transactionHash]],
      ['debug_getRawTransaction', [transactionHash]],
    ]),
    ['eth_getTransactionByHash', [none]],
    ['eth_getTransactionReceipt', [none]],
    ['eth_getLogs', [{ address: token, fromBlock: '0x0', toBlock: 'latest' }]],
    ['eth_getLogs', [{ blockHash }]],
    ['eth_newFilter', [{ address: token }]],
    ['eth_newBlockFilter', []],
    ['eth_newPendingTransactionFilter', []],
    ['eth_getFilterChanges', [filters.logs]],
    ['eth_getFilterChanges', [filters.blocks]],
    ['eth_getFilterChanges', [filters.pending]],
    ['eth_getFilterLogs', [filters.logs]],
    ['eth_uninstallFilter', [filters.old]],
    ['eth_sign', [sender, '0xdeadbeef']],
    ['eth_signTransaction', [{ ...waiting, nonce: `0x${(nonce + 9).toString(16)}` }]],
    ['eth_sendTransaction', [{ from: other, to: sender, value: '0x1', gas: '0x5208', gasPrice }]],
    ['eth_sendRawTransaction', [raw]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, 'latest']],
    [
      'eth_simulateV1',
      [
        {
          blockStateCalls: [{ calls: [call, { to: token, data: '0xffffffff' }] }],
          returnFullTransactions: true,
          traceTransfers: true,
        },
        'latest',
      ],
    ],
    ['debug_getRawBlock', [blockNumber]],
    ['debug_getRawHeader', [blockNumber]],
    ['debug_getRawReceipts', [blockNumber]],
    ['debug_getBadBlocks', []],
    ...[{}, { tracer: 'callTracer' }, { tracer: 'prestateTracer' }, { tracer: 'noopTracer' }].flatMap(
      (options) => [
        ['debug_traceTransaction', [moved.transactionHash, options]],
        ['debug_traceBlockByHash', [blockHash, options]],
        ['debug_traceBlockByNumber', [blockNumber, options]],
      ],
    ),
    ['txpool_content', []],
    ['txpool_contentFrom', [sender]],
    ['txpool_status', []],
    ['eth_feeHistory', ['0x1', 'latest', [50]]],
    ['eth_maxPriorityFeePerGas', []],
    ['eth_blobBaseFee', []],
    ['eth_baseFee', []],
    ['eth_capabilities', []],
    ['eth_config', []],
    ['eth_fillTransaction', [call]],
    ['eth_getBlockAccessList', [blockNumber]],
    ['eth_getStorageValues', [{ [token]: ['0x2'] }, 'latest']],
    ['debug_getRawBlockAccessList', [blockNumber]],
  ]
}
