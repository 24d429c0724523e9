import t from 'tap'
import type { Transaction } from '../../../src/chain/codec/transaction.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { BRIDGE, toExecutable } from '../../../src/execution/executableTransaction.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { basicCost } from '../../../src/native/transactionExecution.ts'
import { createBasicCosts } from '../../../src/txpool/basicCosts.ts'
import { COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'

const NOWHERE = Buffer.alloc(0)
const spec = networkByName('regtest')
const nativeSpec = createNativeChainSpec(spec)

function costInCore(transaction: Transaction, sender: Buffer): bigint {
  const executable = toExecutable(transaction, sender, spec.chainId)
  if (executable === null) throw new Error('its gas limit cannot run')
  return basicCost(nativeSpec, 5, executable)
}

t.test('every cost is that of the core', (t) => {
  const costOf = createBasicCosts(costInCore)
  const shapes = [0, 1, 2, 31, 32, 33, 68, 255, 256, 257, 1000].flatMap((length) =>
    [0, 1, length >> 1, length].map((zeros) => Buffer.alloc(length, 1).fill(0, 0, Math.min(zeros, length))),
  )
  // Twice: the second time from what is known.
  for (const to of [STRANGER.address, NOWHERE, BRIDGE, STRANGER.address, NOWHERE, BRIDGE]) {
    for (const data of shapes) {
      const transaction = signedTransaction({ to, data, gasLimit: 1_000_000n })
      for (const { address } of [COW, STRANGER]) {
        t.equal(costOf(transaction, address), costInCore(transaction, address))
      }
    }
  }
  t.end()
})

t.test('the core is asked once for what costs the same, and for each that goes to the Bridge', (t) => {
  let asked = 0
  const costOf = createBasicCosts((transaction, sender) => {
    asked += 1
    return costInCore(transaction, sender)
  })
  const askedFor = (transactions: readonly Transaction[]) => {
    asked = 0
    for (const transaction of transactions) costOf(transaction, COW.address)
    return asked
  }
  const nonces = [0n, 1n, 2n]
  t.equal(askedFor(nonces.map((nonce) => signedTransaction({ nonce }))), 1)
  t.equal(askedFor(nonces.map((nonce) => signedTransaction({ nonce, to: NOWHERE }))), 1)
  t.equal(askedFor(nonces.map((nonce) => signedTransaction({ nonce, to: BRIDGE }))), 3)
  t.end()
})
