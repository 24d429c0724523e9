import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const NOBODY = `0x${'5a'.repeat(20)}`

t.test('an account may send many transactions at once, in any order', async (t) => {
  const { ask } = await openDevNode(t)
  const sent = Array.from({ length: 60 }, (_, nonce) => signedTransaction({ nonce: BigInt(nonce) }))
  for (const { encoded } of [...sent.slice(30), ...sent.slice(0, 30)]) {
    await ask('eth_sendRawTransaction', toHex(encoded))
  }
  t.same(await ask('txpool_status'), { pending: 60, queued: 0 })
  await ask('evm_mine')
  t.equal(await ask('eth_getTransactionCount', toHex(COW.address), 'latest'), '0x3c')
})

t.test('the hosted profile has the slots of the reference', async (t) => {
  const { answer } = await openDevNode(t, { profile: 'hosted', modules: ['*'] })
  const far = signedTransaction({ nonce: 16n })
  t.match(await answer('eth_sendRawTransaction', toHex(far.encoded)), {
    error: { message: /nonce too high/ },
  })
})

t.test('every account that is listed can send', async (t) => {
  const { ask } = await openDevNode(t, { mining: true })
  const accounts: string[] = await ask('eth_accounts')
  t.equal(accounts.length, 10)
  for (const from of accounts) {
    const hash = await ask('eth_sendTransaction', { from, to: NOBODY, value: '0x1', gasPrice: '0x1' })
    t.match(await ask('eth_getTransactionReceipt', hash), { status: '0x1' })
  }
})

t.test('an impersonated account that never was sends at price 0', async (t) => {
  const { ask, answer } = await openDevNode(t, { mining: true })
  const call = { from: NOBODY, to: toHex(STRANGER.address), gas: '0x5208', gasPrice: '0x0' }
  t.match(await answer('eth_sendTransaction', call), { error: { message: /Could not find account/ } })
  await ask('hardhat_impersonateAccount', NOBODY)
  for (const nonce of ['0x0', '0x1']) {
    const hash = await ask('eth_sendTransaction', call)
    t.match(await ask('eth_getTransactionReceipt', hash), { from: NOBODY, status: '0x1' })
    t.match(await ask('eth_getTransactionByHash', hash), { nonce })
  }
  const poor = { ...call, from: `0x${'5b'.repeat(20)}` }
  await ask('anvil_autoImpersonateAccount', true)
  t.match(await answer('eth_sendTransaction', { ...poor, gasPrice: '0x1' }), {
    error: { code: -32010, message: "the sender account doesn't exist" },
  })
  const paid = await answer('eth_sendTransaction', { ...poor, value: '0x1' })
  t.equal(paid.error?.code, -32010, 'what it has not it cannot pay')
  t.ok(await ask('eth_sendTransaction', poor))
  t.equal(await ask('eth_getTransactionCount', poor.from, 'latest'), '0x1')
})
