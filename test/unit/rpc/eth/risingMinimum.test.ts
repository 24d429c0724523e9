import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

t.test('the price that eth_gasPrice names is mined while the minimum rises', async (t) => {
  const { ask, answer } = await openDevNode(t, { minimumGasPrice: 1_000 })
  const prices: bigint[] = []
  for (let nonce = 0n; nonce < 6n; nonce += 1n) {
    const gasPrice = BigInt(await ask('eth_gasPrice'))
    prices.push(gasPrice)
    if (gasPrice > 1n) {
      const low = signedTransaction({ nonce, gasPrice: gasPrice - 1n })
      t.match(await answer('eth_sendRawTransaction', toHex(low.encoded)), {
        error: { code: -32010, message: "transaction's gas price lower than block's minimum" },
      })
    }
    const { encoded, hash } = signedTransaction({ nonce, gasPrice })
    t.equal(await ask('eth_sendRawTransaction', toHex(encoded)), toHex(hash))
    await ask('evm_mine')
    t.match(await ask('eth_getTransactionReceipt', toHex(hash)), { status: '0x1' })
  }
  t.same(prices, [1n, 2n, 3n, 4n, 5n, 6n], 'one more with each block (consensus.md §4.2)')
  // A minimum that users set counts from the next block on.
  await ask('hardhat_setMinGasPrice', '0x0')
  t.equal(await ask('eth_gasPrice'), '0x6')
})
