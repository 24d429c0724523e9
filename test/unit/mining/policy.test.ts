import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { chooseCandidates } from '../../../src/mining/candidates.ts'
import { createExtraData } from '../../../src/mining/extraData.ts'
import { rewardAddress } from '../../../src/mining/rewardAddress.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

const regtest = networkByName('regtest')

t.test('extra data names the client within 32 bytes', (t) => {
  t.equal(createExtraData('Rhizome-0.1.0').toString('hex'), 'cf018d5268697a6f6d652d302e312e30')
  t.equal(createExtraData('x'.repeat(29)).length, 32)
  t.throws(() => createExtraData('x'.repeat(30)), { code: 'EXTRA_DATA' })
  t.equal(createExtraData('a', 'pool').toString('hex'), 'c7016184706f6f6c')
  t.equal(createExtraData('x'.repeat(20), 'y'.repeat(8)).length, 32)
  t.throws(() => createExtraData('x'.repeat(20), 'y'.repeat(9)), { code: 'EXTRA_DATA' })
  t.end()
})

t.test('the reward goes to the configured account, else to that of the network', (t) => {
  const configured = '0x00000000000000000000000000000000000000Aa'
  t.equal(rewardAddress(configured, regtest.mining)?.toString('hex'), configured.slice(2).toLowerCase())
  // The account of consensus.md §9.4, as it stands in every block of the recorded chains.
  t.equal(rewardAddress(null, regtest.mining)?.toString('hex'), 'ec4ddeb4380ad69b3e509baad9f158cdf4e4681d')
  t.equal(rewardAddress(null, networkByName('main').mining), null)
  // The account of the key that is the hash of the text, on a network without one of its own.
  t.same(rewardAddress(null, networkByName('main').mining, 'cow'), COW.address)
  t.same(rewardAddress(null, regtest.mining, 'cow'), COW.address)
  t.end()
})

t.test('prices that the block cannot take are told apart', (t) => {
  const [low, fitting, high] = [9n, 10n, 1001n].map((gasPrice, nonce) => ({
    transaction: signedTransaction({ gasPrice, nonce: BigInt(nonce) }),
    sender: COW.address,
  }))
  if (low === undefined || fitting === undefined || high === undefined) throw new Error('three prices')
  const block = { number: 5, minimumGasPrice: 10n, gasLimit: 6_800_000n }
  t.same(chooseCandidates(regtest, [low, fitting, high], block), { chosen: [fitting], unfit: [low, high] })
  const before = chooseCandidates(networkByName('main'), [low, fitting, high], block)
  t.same(before, { chosen: [fitting, high], unfit: [low] }, 'no cap before RSKIP252')
  t.same(chooseCandidates(regtest, [fitting], { ...block, gasLimit: 20_999n }).chosen, [])
  t.end()
})
