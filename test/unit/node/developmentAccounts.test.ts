import t from 'tap'
import { createNetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { addressOfPrivateKey } from '../../../src/native/crypto.ts'
import { developmentAccounts } from '../../../src/node/dev/developmentAccounts.ts'

const regtest = networkByName('regtest')

t.test('regtest funds ten accounts, each with the key of its address', (t) => {
  const accounts = developmentAccounts(regtest)
  t.equal(accounts.length, 10)
  for (const { address, privateKey } of accounts) {
    t.same(privateKey && addressOfPrivateKey(privateKey), address)
  }
  // Key of "cow" as consensus.md §1.4 gives it.
  t.equal(
    accounts[0]?.privateKey?.toString('hex'),
    'c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4',
  )
  t.end()
})

t.test('an account whose key nobody knows says so', (t) => {
  const spec = createNetworkSpec(regtest, {
    genesis: { accounts: [{ address: `0x${'99'.repeat(20)}`, balance: 1n }, ...regtest.genesis.accounts] },
  })
  t.equal(developmentAccounts(spec)[0]?.privateKey, null)
  t.same(developmentAccounts(networkByName('main')), [], 'contracts are no accounts of users')
  t.end()
})
