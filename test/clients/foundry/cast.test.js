const assert = require('node:assert/strict')
const { test, before } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { NODE_WS, KEY, ask, cast, forge } = require('./tools.js')

const ETHER = 10n ** 18n
const BEEF = `0x${'00'.repeat(18)}beef`
const SIGNED = ['--private-key', KEY, '--legacy']
let owner
let coin
let deployment
let transfer

before(async () => {
  owner = await cast(`wallet address ${KEY}`)
  const code = await forge('inspect contracts/Coin.sol:Coin bytecode')
  const send = ['send', ...SIGNED, '--json', '--create', code, 'constructor(uint256)', String(1000n * ETHER)]
  deployment = JSON.parse(await cast(send))
  coin = deployment.contractAddress
  transfer = JSON.parse(
    await cast(['send', ...SIGNED, '--json', coin, 'transfer(address,uint256)', BEEF, '7']),
  )
})

const number = (text) => BigInt(text.split(' ')[0])
const failed = (line) =>
  cast(line).then(
    () => assert.fail('it should fail'),
    (error) => error.message,
  )

test('chain-id, client, chain', async () => {
  assert.equal(await cast('chain-id'), String(Number(await ask('eth_chainId'))))
  assert.equal(await cast('client'), await ask('web3_clientVersion'))
})
test('block-number, age, find-block', async () => {
  assert.equal(Number(await cast('block-number')), Number(await ask('eth_blockNumber')))
  const { number: at, timestamp } = await ask('eth_getBlockByNumber', deployment.blockNumber, false)
  assert.match(await cast(`age ${Number(at)}`), /20\d\d/)
  const found = Number(await cast(`find-block ${Number(timestamp)}`))
  const { timestamp: there } = await ask('eth_getBlockByNumber', `0x${found.toString(16)}`, false)
  assert.ok(Math.abs(Number(there) - Number(timestamp)) <= 1)
})
test('gas-price, base-fee', async () => {
  assert.equal(number(await cast('gas-price')), BigInt(await ask('eth_gasPrice')))
  await cast('base-fee')
})
test('block by tag, number, hash, field, with transactions', async () => {
  for (const at of ['latest', 'earliest', 'safe', 'finalized', '1']) await cast(`block ${at}`)
  // The pending block has no number yet, which this decoder wants (as with the reference).
  assert.match(await failed('block pending'), /deserialization error: invalid type: null/)
  const block = JSON.parse(await cast(`block ${Number(transfer.blockNumber)} --json --full`))
  assert.equal(block.hash, transfer.blockHash)
  assert.ok(block.transactions.some(({ hash }) => hash === transfer.transactionHash))
  assert.equal(await cast(`block ${transfer.blockHash} --field number`), String(Number(transfer.blockNumber)))
  assert.equal(await cast(`block ${transfer.blockHash} -f stateRoot`), block.stateRoot)
})
test('balance, nonce, code, codesize, codehash', async () => {
  assert.equal(number(await cast(`balance ${owner}`)), BigInt(await ask('eth_getBalance', owner, 'latest')))
  assert.equal(
    Number(await cast(`nonce ${owner}`)),
    Number(await ask('eth_getTransactionCount', owner, 'latest')),
  )
  assert.equal(
    number(await cast(`balance ${owner} --block ${Number(deployment.blockNumber)}`)),
    BigInt(await ask('eth_getBalance', owner, deployment.blockNumber)),
  )
  const code = await ask('eth_getCode', coin, 'latest')
  assert.equal(await cast(`code ${coin}`), code)
  assert.equal(Number(await cast(`codesize ${coin}`)), (code.length - 2) / 2)
  assert.equal(await cast(`codehash ${coin}`), await cast(['keccak', code]))
  assert.equal(await cast(`code ${BEEF}`), '0x')
})
test('storage, index, implementation, admin, storage-root', async () => {
  assert.equal(BigInt(await cast(`storage ${coin} 2`)), 1000n * ETHER)
  const slot = await cast(`index address ${BEEF} 0`)
  assert.equal(BigInt(await cast(`storage ${coin} ${slot}`)), 7n)
  assert.match(await cast(`implementation ${coin}`), /^0x0{40}$/)
  assert.match(await cast(`admin ${coin}`), /^0x0{40}$/)
  assert.match(await cast(`storage-root ${coin}`), /^0x[0-9a-f]{64}$/)
})
test('proof', async () => {
  const { balance, nonce, storageProof } = JSON.parse(await cast(`proof ${coin} 2 --json`))
  assert.equal(BigInt(balance), 0n)
  assert.equal(Number(nonce), Number(await ask('eth_getTransactionCount', coin, 'latest')))
  assert.equal(BigInt(storageProof[0].value), 1000n * ETHER)
})
test('tx, by field, raw', async () => {
  const tx = JSON.parse(await cast(`tx ${transfer.transactionHash} --json`))
  assert.equal(tx.from, owner.toLowerCase())
  assert.equal(await cast(`tx ${transfer.transactionHash} nonce`), String(Number(tx.nonce)))
  const raw = await cast(`tx ${transfer.transactionHash} --raw`)
  assert.equal(await cast(['keccak', raw]), transfer.transactionHash)
  assert.ok((await cast(['decode-transaction', raw])).includes(transfer.transactionHash))
})
test('receipt, by field, with confirmations', async () => {
  const receipt = JSON.parse(await cast(`receipt ${transfer.transactionHash} --json`))
  assert.equal(receipt.logs.length, 1)
  assert.equal(await cast(`receipt ${transfer.transactionHash} gasUsed`), String(Number(receipt.gasUsed)))
  await ask('evm_mine')
  await ask('evm_mine')
  await cast(`receipt ${transfer.transactionHash} --confirmations 2`)
})
test('logs by signature, by topic, by block', async () => {
  const from = Number(deployment.blockNumber)
  const base = ['logs', '--from-block', String(from), '--to-block', 'latest', '--address', coin, '--json']
  const both = JSON.parse(await cast([...base, 'Transfer(address indexed,address indexed,uint256)']))
  assert.equal(both.length, 2)
  const one = JSON.parse(await cast([...base, 'Transfer(address indexed,address indexed,uint256)', '', BEEF]))
  assert.equal(one.length, 1)
  assert.equal(one[0].transactionHash, transfer.transactionHash)
  assert.equal(JSON.parse(await cast([...base, both[0].topics[0]])).length, 2)
})
test('logs --subscribe over WebSocket', async () => {
  const { spawn } = require('node:child_process')
  const program = require.resolve('@foundry-rs/cast-linux-amd64/bin/cast')
  const args = ['logs', '--subscribe', '--rpc-url', NODE_WS, '--address', coin, '--json']
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (data) => {
    out += data
  })
  try {
    // The subscription has no sign of its own: transfers are sent until one was seen.
    for (let left = 40; !out.includes(coin.toLowerCase()); left -= 1) {
      assert.notEqual(left, 0, 'no event came')
      await cast(['send', ...SIGNED, coin, 'transfer(address,uint256)', owner, '1'])
      await sleep(100)
    }
  } finally {
    child.kill()
  }
})
test('rpc, plain and raw, over HTTP and WebSocket', async () => {
  assert.equal(JSON.parse(await cast('rpc eth_chainId')), await ask('eth_chainId'))
  assert.equal(JSON.parse(await cast(`rpc eth_getBlockByNumber 0x1 false`)).number, '0x1')
  assert.equal(
    JSON.parse(await cast(['rpc', '--raw', 'eth_getBlockByNumber', '["0x1", false]'])).number,
    '0x1',
  )
  assert.equal(await cast(['block-number', '--rpc-url', NODE_WS]), await cast('block-number'))
  assert.match(await failed('rpc eth_notThere'), /-32601|not found|not supported/i)
})
test('call, at a block, with overrides, of creation code, with a trace', async () => {
  const balance = `call ${coin} balanceOf(address)(uint256) ${BEEF}`
  assert.equal(number(await cast(balance)), 7n)
  assert.equal(number(await cast(`${balance} --block ${Number(deployment.blockNumber)}`)), 0n)
  const slot = await cast(`index address ${BEEF} 0`)
  assert.equal(number(await cast(`${balance} --override-state-diff ${coin}:${slot}:99`)), 99n)
  assert.match(await cast(`${balance} --trace`), /7/)
  assert.match(await cast(`call --from ${owner} ${coin} transfer(address,uint256)(bool) ${BEEF} 1`), /true/)
})
test('call and estimate that revert say why', async () => {
  const mint = ['mint(address,uint256)', owner, String(1001n * ETHER)]
  const selector = await cast('sig TooMuch(address,uint256,uint256)')
  for (const command of ['call', 'estimate']) {
    assert.match(await failed([command, '--from', owner, coin, ...mint]), new RegExp(selector.slice(2)))
  }
  assert.match(await failed(['send', ...SIGNED, coin, ...mint]), new RegExp(selector.slice(2)))
})
test('estimate of a call, a transfer, a creation', async () => {
  const gas = Number(await cast(`estimate --from ${owner} ${coin} transfer(address,uint256) ${BEEF} 1`))
  assert.ok(gas > 21000 && gas < 100000)
  assert.equal(Number(await cast(`estimate --from ${owner} ${BEEF} --value 1`)), 21000)
  assert.ok(Number(await cast(`estimate --from ${owner} --create 0x6001600055`)) > 53000)
})
test('access-list: the gas and no entries, as lists save nothing on this chain', async () => {
  const list = await cast(`access-list --from ${owner} ${coin} balanceOf(address) ${BEEF}`)
  assert.match(list, /^gas used: 2\d{4}\naccess list:$/)
})
test('send of value, unlocked, asynchronous', async () => {
  const before = BigInt(await ask('eth_getBalance', BEEF, 'latest'))
  await cast(['send', ...SIGNED, BEEF, '--value', '1ether'])
  await cast([
    'send',
    '--legacy',
    '--unlocked',
    '--from',
    (await ask('eth_accounts'))[0],
    BEEF,
    '--value',
    '1ether',
  ])
  const hash = await cast(['send', ...SIGNED, '--async', BEEF, '--value', '1ether'])
  assert.equal(JSON.parse(await cast(`receipt ${hash} --json`)).status, '0x1')
  assert.equal(BigInt(await ask('eth_getBalance', BEEF, 'latest')) - before, 3n * ETHER)
})
test('send without --legacy asks for the fees of type 2, which are not there', async () => {
  assert.match(await failed(['send', '--private-key', KEY, BEEF, '--value', '1']), /-32601/)
  assert.match(await failed(['erc20-token', 'transfer', coin, BEEF, '2', '--private-key', KEY]), /-32601/)
})
test('send over WebSocket', async () => {
  const args = [
    'send',
    ...SIGNED,
    '--json',
    '--rpc-url',
    NODE_WS,
    coin,
    'transfer(address,uint256)',
    BEEF,
    '1',
  ]
  assert.equal(JSON.parse(await cast(args)).status, '0x1')
})
test('send that fails in the block', async () => {
  const mint = ['mint(address,uint256)', owner, String(1001n * ETHER)]
  const sent = await cast(['send', ...SIGNED, '--json', '--gas-limit', '200000', coin, ...mint]).catch(
    (error) => error.message.slice(error.message.indexOf('{')),
  )
  assert.match(sent, /"status":\s*"0x0"/)
})
test('mktx and publish', async () => {
  const raw = await cast(['mktx', ...SIGNED, BEEF, '--value', '3'])
  const published = await cast(['publish', raw])
  assert.match(published, /0x[0-9a-f]{64}/)
  assert.match(
    await cast(['publish', '--async', await cast(['mktx', ...SIGNED, BEEF, '--value', '4'])]),
    /^0x/,
  )
})
test('erc20-token', async () => {
  assert.match(await cast(`erc20-token balance ${coin} ${BEEF}`), /^\d+/)
  assert.match(await cast(`erc20-token symbol ${coin}`), /CN/)
  await cast(['send', ...SIGNED, coin, 'approve(address,uint256)', BEEF, '2'])
  assert.match(await cast(`erc20-token allowance ${coin} ${owner} ${BEEF}`), /^2/)
})
test('run: a transaction again, here', async () => {
  // Its own EVM charges Ethereum's gas (Rootstock has no EIP-2929), so the limit is no exact estimate.
  const args = [
    'send',
    ...SIGNED,
    '--json',
    '--gas-limit',
    '200000',
    coin,
    'transfer(address,uint256)',
    BEEF,
    '1',
  ]
  const { transactionHash } = JSON.parse(await cast(args))
  assert.match(await cast(`run ${transactionHash} --quick`), /Transaction successfully executed/)
  assert.match(await cast(`run ${transactionHash}`), /Transaction successfully executed/)
})
test('rpc debug_traceTransaction and trace_transaction, as cast trace reads them', async () => {
  assert.match(await cast(`trace ${transfer.transactionHash}`), /call|transfer|0x/i)
})
test('tx-pool', async () => {
  assert.match(await cast('tx-pool status'), /pending/)
  await cast('tx-pool content')
  await cast('tx-pool inspect')
  await cast(`tx-pool content-from --from ${owner}`)
})
