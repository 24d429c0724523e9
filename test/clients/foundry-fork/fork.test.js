const assert = require('node:assert/strict')
const { readFileSync, rmSync } = require('node:fs')
const { join } = require('node:path')
const { test, before } = require('node:test')
const { NODE, ask, cast, forge } = require('../foundry/tools.js')

const { TOKEN, LOANS, STABLE, WHALE, UPSTREAM_URL } = process.env
const COIN = 10n ** 18n
const FORK = `--fork-url ${NODE}`
const UNLOCKED = `--broadcast --legacy --unlocked --rpc-url ${NODE}`

before(async () => {
  rmSync(join(__dirname, 'build'), { recursive: true, force: true })
  await forge('build')
})

const read = async (call, url = NODE) => BigInt((await cast(`call ${call} --rpc-url ${url}`)).split(' ')[0])

/** Transactions that a script sent, as it wrote them down; the node has mined them. */
async function sentBy(script) {
  const file = join(__dirname, `build/broadcast/${script}.s.sol/33/run-latest.json`)
  const { transactions } = JSON.parse(readFileSync(file, 'utf8'))
  for (const { hash } of transactions) {
    const { status } = await ask('eth_getTransactionReceipt', hash)
    assert.equal(status, '0x1')
  }
  return transactions
}

test('forge test: a loan, a mint, and what is refused', async () => {
  const head = await ask('eth_blockNumber')
  assert.match(await forge(`test --match-contract ProtocolsTest ${FORK}`), /8 tests passed, 0 failed/)
  assert.equal(await ask('eth_blockNumber'), head, 'forge keeps what it does to itself')
})

test('forge test: a loan without collateral is a test that fails', async () => {
  await assert.rejects(forge(`test --match-contract ForgetfulTest ${FORK}`), /collateral insufficient/)
})

test('forge script --broadcast --unlocked: a whale lends', async () => {
  await assert.rejects(
    forge(`script script/Lend.s.sol:Lend --sender ${WHALE} ${UNLOCKED}`),
    /Could not find account/,
  )
  assert.equal(await read(`${LOANS} shares()(uint256)`), 0n, 'nobody has its key')
  await ask('anvil_impersonateAccount', WHALE)
  await ask('anvil_setBalance', WHALE, '0xde0b6b3a7640000')
  await forge(`script script/Lend.s.sol:Lend --sender ${WHALE} ${UNLOCKED}`)
  assert.equal((await sentBy('Lend')).length, 2)
  assert.equal(await read(`${LOANS} sharesOf(address)(uint256) ${WHALE}`), 1000n * COIN)
})

test('forge script --broadcast --unlocked: a loan and a mint on the fork alone', async () => {
  const [, user] = await ask('eth_accounts')
  await forge(`script script/Borrow.s.sol:Borrow --sender ${user} ${UNLOCKED}`, { SENDER: user })
  assert.equal((await sentBy('Borrow')).length, 2)
  assert.equal(await read(`${LOANS} debtOf(address)(uint256) ${user}`), 60n * COIN)
  assert.equal(await read(`${TOKEN} balanceOf(address)(uint256) ${user}`), 60n * COIN)
  assert.equal(await read(`${STABLE} balanceOf(address)(uint256) ${user}`), 100n * COIN)
  assert.equal(await read(`${LOANS} debtOf(address)(uint256) ${user}`, UPSTREAM_URL), 0n)
  assert.equal(await read(`${STABLE} totalSupply()(uint256)`, UPSTREAM_URL), 0n)
})

test('cast send: a loan that goes on, and one above what the collateral is worth', async () => {
  const [, user] = await ask('eth_accounts')
  const send = `send --legacy --json --unlocked --from ${user} ${LOANS} borrow(uint256)`
  const { status } = JSON.parse(await cast(`${send} ${6n * COIN}`))
  assert.equal(status, '0x1')
  assert.equal(await read(`${LOANS} debtOf(address)(uint256) ${user}`), 66n * COIN)
  await assert.rejects(cast(`${send} ${COIN}`), /collateral insufficient/)
})
