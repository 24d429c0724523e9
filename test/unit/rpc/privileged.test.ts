import t from 'tap'
import { moduleOf } from '../../../src/rpc/availability.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { isPrivileged } from '../../../src/rpc/privileged.ts'

/** Methods that the chain thread answers although they sign nothing and change nothing that is not signed already. */
const HARMLESS = new Set(['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'eth_pendingTransactions'])

const namesOf = ({ name, aliases }: (typeof METHODS)[number]) => [name, ...aliases]

t.test('whatever the chain thread does for a method is closed to pages of other origins', (t) => {
  const open = METHODS.filter(({ lane }) => lane === 'chain')
    .flatMap(namesOf)
    .filter((name) => !isPrivileged(name) && !HARMLESS.has(name))
  t.same(open, [])
  t.end()
})

t.test('helpers of development and what tells or uses accounts are closed, too', (t) => {
  // Otterscan is a page, and what it asks for only reads.
  const helpers = METHODS.filter(
    ({ audience, name }) => audience === 'dev' && moduleOf(name) !== 'ots',
  ).flatMap(namesOf)
  t.ok(helpers.length > 20)
  t.same(
    helpers.filter((name) => !isPrivileged(name)),
    [],
  )
  for (const name of [
    'eth_accounts',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData_v4',
    'eth_submitWork',
    'personal_listAccounts',
    'personal_dumpRawKey',
    'sco_banAddress',
    'mnr_getWork',
    'anvil_setBalance',
    'hardhat_reset',
  ]) {
    t.ok(isPrivileged(name), name)
  }
  t.end()
})

t.test('reads and signed transactions are not', (t) => {
  const readers = METHODS.filter(
    ({ lane, audience, name }) =>
      (audience !== 'dev' || moduleOf(name) === 'ots') &&
      ['read', 'evm', 'scan', 'proof', 'trace'].includes(lane),
  )
  const closed = readers.map(({ name }) => name).filter(isPrivileged)
  t.same(closed, [])
  for (const name of [...HARMLESS, 'eth_subscribe', 'eth_newFilter', 'eth_chainId', 'net_version'])
    t.notOk(isPrivileged(name), name)
  t.end()
})
