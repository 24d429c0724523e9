const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { readFileSync, rmSync } = require('node:fs')
const { createServer } = require('node:net')
const { join } = require('node:path')
const { test, before } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { NODE, KEY, anvil, ask, cast, forge } = require('./tools.js')

/** Foundry's deployer of contracts with a salt, and its code. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

const SUPPLY = 10n ** 24n
let owner

before(async () => {
  rmSync(join(__dirname, 'build'), { recursive: true, force: true })
  await forge('build')
  owner = await cast(`wallet address ${KEY}`)
  // Behind block 449 the headers have another form.
  await ask('hardhat_mine', '0x1c8')
})

const supplyOf = async (coin) => BigInt((await cast(`call ${coin} totalSupply()(uint256)`)).split(' ')[0])

async function create(...flags) {
  const made = await forge([
    'create',
    'contracts/Coin.sol:Coin',
    '--broadcast',
    '--json',
    ...flags,
    '--constructor-args',
    String(SUPPLY),
  ])
  const { deployedTo, transactionHash } = JSON.parse(made.slice(made.indexOf('{')))
  const receipt = await ask('eth_getTransactionReceipt', transactionHash)
  assert.equal(receipt.status, '0x1')
  assert.equal(receipt.contractAddress, deployedTo.toLowerCase())
  assert.equal(await supplyOf(deployedTo), SUPPLY)
  return deployedTo
}

test('forge test, without a node', async () => {
  assert.match(await forge('test --no-match-contract Fork'), /3 tests passed, 0 failed/)
})
test('forge without --legacy says to add it: the fees of type 2 are not there', async () => {
  await assert.rejects(create('--private-key', KEY), /try adding --legacy/)
  await ask('hardhat_setCode', DEPLOYER, DEPLOYER_CODE)
  await assert.rejects(forge(`script script/Deploy.s.sol:Deploy --rpc-url ${NODE}`), /EIP-1559 fees/)
})
test('forge create --legacy', async () => void (await create('--private-key', KEY, '--legacy')))
test('forge create --unlocked', async () => {
  await create('--legacy', '--unlocked', '--from', (await ask('eth_accounts'))[0])
})
test('forge create --legacy --gas-price --gas-limit --nonce', async () => {
  const nonce = await cast(`nonce ${owner}`)
  await create(
    '--private-key',
    KEY,
    '--legacy',
    '--gas-price',
    '2gwei',
    '--gas-limit',
    '3000000',
    '--nonce',
    nonce,
  )
})

/** What `--broadcast` wrote down, compared with the node's receipts. */
async function broadcast() {
  const { transactions, receipts } = JSON.parse(
    readFileSync(join(__dirname, 'build/broadcast/Deploy.s.sol/33/run-latest.json'), 'utf8'),
  )
  assert.equal(transactions.length, 4)
  assert.equal(receipts.length, 4)
  for (const { hash } of transactions) {
    const receipt = await ask('eth_getTransactionReceipt', hash)
    assert.equal(receipt.status, '0x1')
  }
  return transactions
}

for (const flags of ['', '--slow', '--skip-simulation', '--with-gas-price 3gwei']) {
  test(`forge script --broadcast --legacy ${flags}`, async () => {
    // The deployer of CREATE2 deployments has to be there once, and the salt of the second one is free once.
    const snapshot = await ask('evm_snapshot')
    await ask('hardhat_setCode', DEPLOYER, DEPLOYER_CODE)
    await forge(`script script/Deploy.s.sol:Deploy --broadcast --legacy ${flags} --rpc-url ${NODE}`)
    const [first, second] = await broadcast()
    assert.equal(await supplyOf(first.contractAddress), SUPPLY)
    assert.equal(await supplyOf(second.contractAddress), 8n * 10n ** 18n)
    await ask('evm_revert', snapshot)
  })
}

test('forge script without --broadcast leaves the chain alone', async () => {
  const before = await ask('eth_blockNumber')
  await forge(`script script/Deploy.s.sol:Deploy --legacy --rpc-url ${NODE}`)
  assert.equal(await ask('eth_blockNumber'), before)
})

/** What the tests on a fork compare with. */
async function expectations(coin, before) {
  const block = Number(await ask('eth_blockNumber'))
  return {
    COIN: coin,
    OWNER: owner,
    SUPPLY: String(SUPPLY),
    HELD: String(SUPPLY),
    BALANCE: String(BigInt(await ask('eth_getBalance', owner, 'latest'))),
    NONCE: String(Number(await ask('eth_getTransactionCount', owner, 'latest'))),
    CODE_HASH: await cast(`codehash ${coin}`),
    BLOCK: String(block),
    BEFORE: String(before),
  }
}

test('forge test --fork-url', async () => {
  const before = Number(await ask('eth_blockNumber'))
  const coin = await create('--private-key', KEY, '--legacy')
  const answer = await forge(
    `test --match-contract Fork --fork-url ${NODE}`,
    await expectations(coin, before),
  )
  assert.match(answer, /3 tests passed, 0 failed/)
})

test('forge test --fork-url --fork-block-number', async () => {
  const before = Number(await ask('eth_blockNumber'))
  const coin = await create('--private-key', KEY, '--legacy')
  const expected = await expectations(coin, before)
  await cast(`send --private-key ${KEY} --legacy ${coin} transfer(address,uint256) ${coin} 5`)
  const answer = await forge(
    `test --match-contract Fork --fork-url ${NODE} --fork-block-number ${expected.BLOCK}`,
    expected,
  )
  assert.match(answer, /3 tests passed, 0 failed/)
})

test('anvil --fork-url', async () => {
  const coin = await create('--private-key', KEY, '--legacy')
  const port = await freePort()
  const fork = spawn(anvil, ['--fork-url', NODE, '--port', String(port), '--silent'], { stdio: 'inherit' })
  try {
    const url = `http://127.0.0.1:${port}`
    for (let left = 200; ; left -= 1) {
      const up = await cast(`chain-id --rpc-url ${url}`).then(
        (id) => id === '33',
        () => false,
      )
      if (up) break
      if (left === 0) assert.fail('the fork does not answer')
      await sleep(50)
    }
    const there = ['--rpc-url', url]
    assert.equal(await cast(['balance', owner, ...there]), await cast(`balance ${owner}`))
    assert.equal(await cast(['nonce', owner, ...there]), await cast(`nonce ${owner}`))
    const send = ['send', '--private-key', KEY, '--legacy', '--json', coin]
    const sent = JSON.parse(await cast([...send, 'transfer(address,uint256)', coin, '5', ...there]))
    assert.equal(sent.status, '0x1')
    assert.match(await cast(['call', coin, 'balanceOf(address)(uint256)', coin, ...there]), /^5\b/)
    assert.match(await cast(['call', coin, 'balanceOf(address)(uint256)', coin]), /^0\b/)
  } finally {
    fork.kill()
  }
})

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
