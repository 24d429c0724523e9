import t from 'tap'
import { openDevNode } from './evm/devNode.ts'

const BRIDGE = `0x${'1000006'.padStart(40, '0')}`
/** Selectors of `getFederationAddress()` and `getFeePerKb()`. */
const SELECTORS = { address: '0x6923fa85', fee: '0x724ec886' }
/** The first block of Bitcoin's regtest: the only one that a new development chain knows. */
const FIRST_BLOCK = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'

t.test('the Bridge of a development chain', async (t) => {
  const { answer, ask } = await openDevNode(t)
  const told = async (selector: string) =>
    Buffer.from(String(await ask('eth_call', { to: BRIDGE, data: selector }, 'latest')).slice(2), 'hex')
  const status = await ask('rsk_getBridgeStatus')
  const { federations, pegin, pegout } = status

  await t.test('tells what its own methods answer', async (t) => {
    const text = await told(SELECTORS.address)
    t.equal(federations.active.address, text.subarray(64, 64 + text.readUInt32BE(60)).toString())
    t.equal(BigInt(pegout.feePerKb), BigInt(`0x${(await told(SELECTORS.fee)).toString('hex')}`))
    t.equal(status.blockNumber, await ask('eth_blockNumber'))
    t.match(status.bitcoin, { height: '0x0', hash: FIRST_BLOCK })
  })

  await t.test('of a chain that has seen no Bitcoin', async (t) => {
    t.match(federations.active, { format: 'p2shP2wshErp', threshold: '0x2', balance: '0x0', outputs: '0x0' })
    t.equal(federations.active.members.length, 3)
    t.match(federations.active.members[0], { address: /^0x[0-9a-f]{40}$/, btcKey: /^0x0[23][0-9a-f]{64}$/ })
    t.match(federations, { retiring: null, next: null, proposed: null, pending: null })
    t.equal(status.lockedWei, '0x0')
    t.equal(BigInt(pegin.lockingCap), BigInt(pegin.belowCap))
    t.match(pegout, { requests: [], waitingForConfirmations: [], waitingForSignatures: [] })
  })

  await t.test('a request to be paid out waits for its batch', async (t) => {
    const [from] = await ask('eth_accounts')
    const transaction = { from, to: BRIDGE, value: `0x${(10n ** 18n).toString(16)}`, gas: '0x186a0' }
    const hash = await ask('eth_sendTransaction', transaction)
    await ask('evm_mine')
    const { pegout } = await ask('rsk_getBridgeStatus')
    t.match(pegout.requests, [{ transactionHash: hash, amount: '0x5f5e100', destination: /^[mn]/ }])
  })

  await t.test('at any block', async (t) => {
    const at = (block: unknown) => ask('rsk_getBridgeStatus', block)
    t.equal((await at('0x0')).blockNumber, '0x0')
    const { hash } = await ask('eth_getBlockByNumber', '0x1', false)
    t.equal((await at({ blockHash: hash })).blockNumber, '0x1')
    t.same((await at('0x0')).pegout.requests, [], 'before the request')
    t.same(await ask('ext_getBridgeStatus', 'latest'), await ask('rsk_getBridgeStatus'))
    t.match(await answer('rsk_getBridgeStatus', '0xffffff'), { error: { message: /not found/ } })
  })
})
