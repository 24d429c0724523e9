import { Transaction as EthersTransaction, verifyMessage, verifyTypedData } from 'ethers'
import t, { type Test } from 'tap'
import {
  ask,
  createWalletContext,
  openTestWallet,
  type TestAccounts,
} from '../../../support/walletContext.ts'

const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'
const COW = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const BOB = '0x7986b3df570230288501eea3d890bd66948c9b79'
const STRANGER = `0x${'0d'.repeat(20)}`
const RICH: TestAccounts = {
  [COW]: { nonce: 7n, balance: 10n ** 24n },
  [BOB]: { nonce: 0n, balance: 10n ** 24n },
}

async function open(t: Test, options: { minimumGasPrice?: bigint; hosted?: boolean } = {}) {
  const under = await openTestWallet(t.teardown)
  const { context, pool } = createWalletContext({
    wallet: under.wallet,
    accounts: RICH,
    head: HEAD,
    ...options,
  })
  const call = (name: string, ...params: readonly unknown[]) => ask(context, name, params)
  return { ...under, pool, call }
}

t.test('without a wallet', async (t) => {
  const { context } = createWalletContext({ wallet: null, accounts: {}, head: HEAD })
  const personal: [string, unknown[]][] = [
    ['newAccountWithSeed', ['x']],
    ['newAccount', ['x']],
    ['importRawKey', ['01', 'x']],
    ['dumpRawKey', [COW]],
    ['listAccounts', []],
    ['lockAccount', [COW]],
    ['unlockAccount', [COW, 'x', '']],
    ['sendTransaction', [{ from: COW }, 'x']],
  ]
  for (const [name, params] of personal) {
    const { error } = await ask(context, `personal_${name}`, params)
    t.same(error, { code: -32604, message: 'The local wallet feature is disabled' }, name)
  }
  const disabled = { code: -32602, message: 'Local wallet is disabled in this node' }
  t.same((await ask(context, 'eth_sign', [COW, '0x'])).error, disabled)
  t.same((await ask(context, 'eth_sendTransaction', [{ from: COW }])).error, disabled)
  const typed = { types: { A: [] }, primaryType: 'A', domain: {}, message: {} }
  for (const [name, params] of [
    ['eth_signTransaction', [{ from: COW }]],
    ['eth_signTypedData_v4', [COW, typed]],
    ['personal_sign', ['0x', COW]],
  ] as const) {
    const message = `the method ${name} does not exist/is not available`
    t.same((await ask(context, name, params)).error, { code: -32601, message })
  }
  t.same((await ask(context, 'eth_accounts', [])).result, [])
})

t.test('eth_accounts: empty on a hosted endpoint', async (t) => {
  const dev = await open(t)
  t.equal(((await dev.call('eth_accounts')).result as string[])[0], COW)
  const hosted = await open(t, { hosted: true })
  t.same((await hosted.call('eth_accounts')).result, [])
})

t.test('eth_sign is what ethers verifies', async (t) => {
  const { call } = await open(t)
  for (const message of ['', 'hello', 'x'.repeat(1000)]) {
    const { result } = await call('eth_sign', COW, `0x${Buffer.from(message).toString('hex')}`)
    t.equal(verifyMessage(message, String(result)).toLowerCase(), COW)
  }
  await call('personal_lockAccount', COW)
  t.same((await call('eth_sign', COW, '0x')).error, { code: -32602, message: 'Account not found' })
})

t.test('personal_sign: the message first, with a passphrase also of a locked account', async (t) => {
  const { call } = await open(t)
  const { result } = await call('personal_sign', '0x6869', COW)
  t.equal(verifyMessage('hi', String(result)).toLowerCase(), COW)
  const { result: made } = await call('personal_newAccount', 'its passphrase')
  const account = String(made)
  await call('personal_lockAccount', account)
  t.same((await call('personal_sign', '0x6869', account)).error, {
    code: -32602,
    message: 'Account not found',
  })
  const signed = await call('personal_sign', '0x6869', account, 'its passphrase')
  t.equal(verifyMessage('hi', String(signed.result)).toLowerCase(), account)
  t.match((await call('personal_sign', '0x6869', account, 'another')).error, { code: -32602 })
  t.match((await call('personal_sign', '0x6869', STRANGER, 'any')).error, { code: -32602 })
  t.same((await call('personal_sign', '0x6869', account)).error?.message, 'Account not found', 'locked again')
})

t.test('eth_signTypedData_v4 is what ethers verifies', async (t) => {
  const { call } = await open(t)
  const types = { Order: [{ name: 'amount', type: 'uint256' }] }
  const domain = { name: 'Shop', chainId: 33 }
  const data = { types, primaryType: 'Order', domain, message: { amount: '5' } }
  for (const form of [data, JSON.stringify(data)]) {
    const { result } = await call('eth_signTypedData_v4', COW, form)
    t.equal(verifyTypedData(domain, types, { amount: '5' }, String(result)).toLowerCase(), COW)
  }
  t.match((await call('eth_signTypedData_v4', COW, { ...data, message: {} })).error, {
    code: -32602,
    message: 'Invalid typed data: message.amount: nothing is no uint256',
  })
  t.equal((await call('eth_signTypedData_v4', STRANGER, data)).error?.message, 'Account not found')
})

t.test('eth_signTransaction: defaults, and what ethers reads', async (t) => {
  const { call, pool } = await open(t)
  const { result } = await call('eth_signTransaction', { from: COW, to: BOB, value: '0x5', gasPrice: '0x2' })
  const { raw, tx } = result as { raw: string; tx: Record<string, unknown> }
  const read = EthersTransaction.from(raw)
  t.equal(read.from?.toLowerCase(), COW)
  t.same(
    [read.nonce, read.gasLimit, read.gasPrice, read.value, read.chainId, read.to?.toLowerCase(), read.hash],
    [7, 90_000n, 2n, 5n, 33n, BOB, tx['hash']],
  )
  t.match(tx, { nonce: '0x7', gas: '0x15f90', to: BOB, input: '0x', type: '0x0', chainId: '0x21' })
  t.equal(BigInt(String(tx['r'])), BigInt(read.signature?.r ?? 0))
  t.equal(pool.pendingCount, 0, 'it is not sent')
  const creation = await call('eth_signTransaction', {
    from: COW,
    data: '0x60',
    nonce: '0x1',
    gas: '0x10000',
  })
  t.match(creation.result, { tx: { to: null, nonce: '0x1', gas: '0x10000', input: '0x60' } })
  t.equal((await call('eth_signTransaction', { to: BOB })).error?.message, 'from is null')
  t.equal((await call('eth_signTransaction', { from: STRANGER })).error?.message, 'Account not found')
  t.equal(
    (await call('eth_signTransaction', { from: COW, chainId: '0x1' })).error?.message,
    'Invalid chainId: 0x1, for the chain id of this network is 33',
  )
})

t.test('eth_sendTransaction: nonces of transactions sent at once follow each other', async (t) => {
  const { call, pool } = await open(t)
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, value) => call('eth_sendTransaction', { from: COW, to: BOB, value })),
  )
  for (const { result } of answers) t.match(result, /^0x[0-9a-f]{64}$/)
  t.same(
    [...pool.pending()].map(({ transaction }) => [transaction.nonce, transaction.fields.value]),
    [0n, 1n, 2n, 3n, 4n].map((i) => [7n + i, i]),
  )
  for (const { transaction } of pool.pending()) {
    t.same([transaction.gasLimit, transaction.gasPrice], [90_000n, 0n])
  }
})

t.test('eth_sendTransaction replaces an own pending transaction of the same nonce', async (t) => {
  const { call, pool } = await open(t)
  const send = (gasPrice: string, value: string, nonce?: string) =>
    call('eth_sendTransaction', { from: COW, to: BOB, value, gasPrice, ...(nonce && { nonce }) })
  await send('0x64', '0x1')
  await send('0x64', '0x2')
  t.match((await send('0x8b', '0x3', '0x7')).error, {
    code: -32010,
    message: 'gas price not enough to bump transaction',
  })
  t.match((await send('0x8c', '0x4', '0x7')).result, /^0x/)
  t.same([...pool.pending()].map(({ transaction }) => [transaction.nonce, transaction.fields.value]).sort(), [
    [7n, 4n],
    [8n, 2n],
  ])
  t.match((await send('0x64', '0x5', '0xa')).result, /^0x/, 'a gap is queued')
  t.same([pool.pendingCount, pool.queuedCount], [2, 1])
})

t.test('eth_sendTransaction: a refused gas price has the least one beside its text', async (t) => {
  const { call } = await open(t, { minimumGasPrice: 59_240_000n })
  const refused = (gasPrice: string) => ({
    code: -32010,
    message: "transaction's gas price lower than block's minimum",
    data: { gasPrice, minimumGasPrice: '0x387ee40' },
  })
  t.same((await call('eth_sendTransaction', { from: COW, to: BOB })).error, refused('0x0'))
  const low = await call('eth_sendTransaction', { from: COW, to: BOB, gasPrice: '0x1' })
  t.same(low.error, refused('0x1'))
  t.ok((await call('eth_sendTransaction', { from: COW, to: BOB, gasPrice: 59_240_000 })).result)
})

t.test('chain ids: own, zero, foreign, more than a byte', async (t) => {
  const { call } = await open(t)
  const send = async (chainId: unknown) =>
    (await call('eth_sendTransaction', { from: COW, to: BOB, gasPrice: '0x1', chainId })).error?.message
  for (const own of ['0x21', '33', 33, '0x0', '0x00', 0, null])
    t.equal(await send(own), undefined, String(own))
  for (const foreign of ['0x1e', '0x021e', '0x0021', '30', '289', '0x']) {
    t.equal(await send(foreign), `Invalid chainId: ${foreign}, for the chain id of this network is 33`)
  }
})

t.test('personal accounts: made, imported, listed, dumped, locked, unlocked', async (t) => {
  const { call, advance } = await open(t)
  const { result: made } = await call('personal_newAccount', 'pass')
  t.match(made, /^0x[0-9a-f]{40}$/)
  const { result: key } = await call('personal_dumpRawKey', made)
  t.match(key, /^0x[0-9a-f]{64}$/)
  t.ok(((await call('personal_listAccounts')).result as string[]).includes(String(made)))
  t.equal((await call('personal_lockAccount', made)).result, true)
  t.equal((await call('personal_lockAccount', made)).result, false)
  t.match((await call('personal_dumpRawKey', made)).error, { code: -32602, message: /locked or not/ })
  t.match((await call('personal_unlockAccount', made, 'bad', null)).error, { code: -32602 })
  t.equal((await call('personal_unlockAccount', made, 'pass', '0x3e8')).result, true)
  advance(1001)
  t.ok((await call('personal_dumpRawKey', made)).error, 'the time is in milliseconds')
  t.equal((await call('personal_unlockAccount', made, 'pass', '')).result, true)
  advance(29 * 60_000)
  t.equal((await call('personal_dumpRawKey', made)).result, key)
  t.equal((await call('personal_importRawKey', key, 'other')).result, made)
  await call('personal_lockAccount', made)
  t.ok((await call('personal_unlockAccount', made, 'pass', '')).error, 'the old passphrase is gone')
  t.equal((await call('personal_unlockAccount', made, 'other', '')).result, true)
  t.equal((await call('personal_unlockAccount', STRANGER, 'x', '')).result, false)
  t.equal((await call('personal_unlockAccount', made, 'other', 300)).result, true)
  advance(299_000)
  t.equal((await call('personal_dumpRawKey', made)).result, key)
  advance(1001)
  t.ok((await call('personal_dumpRawKey', made)).error, 'a number is seconds')
  t.equal((await call('personal_unlockAccount', made, 'other', 0)).result, true)
  advance(10 ** 12)
  t.equal((await call('personal_dumpRawKey', made)).result, key, 'without an end')
})

t.test('parameters of personal methods that do not fit', async (t) => {
  const { call } = await open(t)
  const message = async (name: string, ...params: unknown[]) => {
    const { error } = await call(`personal_${name}`, ...params)
    t.equal(error?.code, -32602)
    return error?.message
  }
  t.equal(await message('newAccountWithSeed', null), 'Seed is null')
  t.equal(await message('newAccountWithSeed', {}), 'Invalid seed: text expected.')
  t.equal(await message('newAccount', null), 'Passphrase is null')
  t.equal(await message('importRawKey', null, 'p'), 'Key cannot be null.')
  t.equal(await message('importRawKey', '0x123', 'p'), 'Invalid key: an even number of hex digits expected.')
  for (const key of ['', '0x', '00', 'ff'.repeat(32), '01'.repeat(33)]) {
    t.match(await message('importRawKey', key, 'p'), /^not a private key/)
  }
  for (const duration of ['0x', '0x8000000000000000', -1, 1.5, 1e300]) {
    t.match(await message('unlockAccount', COW, 'p', duration), /^Invalid duration param/)
  }
  t.match(await message('unlockAccount', COW, 'p', '0xA'), /should be a hex value string/)
  t.match(await message('unlockAccount', COW, 'p', `0x${'0'.repeat(70)}`), /^Invalid argument: 0x0+\.\.\.$/)
})

t.test('personal_sendTransaction needs the passphrase, not an unlocked account', async (t) => {
  const { call, pool } = await open(t)
  const key = 'ba8a79b5da8e31f5ee67145f25f69048d00ca9456f819a2615ebd049db89295e'
  const { result: account } = await call('personal_importRawKey', key, 'pass')
  await call('personal_lockAccount', account)
  const send = (fields: object, passphrase: string) =>
    call('personal_sendTransaction', { from: account, to: BOB, ...fields }, passphrase)
  t.match((await send({}, 'pass')).error, { code: -32010, message: "the sender account doesn't exist" })
  t.match((await send({}, 'bad')).error, { code: -32602, message: /passphrase/ })
  t.match((await send({ chainId: '0xfe' }, 'pass')).error, {
    code: -32602,
    message: /^Invalid chainId: 254, for/,
  })
  t.match((await send({ from: undefined }, 'pass')).error, { code: -32602, message: 'from is null' })
  t.match((await send({ from: COW }, 'pass')).error, { code: -32602, message: /no key file/ })
  t.ok((await call('personal_dumpRawKey', account)).error, 'it is still locked')
  t.equal(pool.pendingCount, 0)
})
