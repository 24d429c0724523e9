import t from 'tap'
import { toExecutable } from '../../../src/execution/executableTransaction.ts'
import { recoverAddresses } from '../../../src/native/crypto.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

const BRIDGE = Buffer.from('0000000000000000000000000000000001000006', 'hex')

t.test('the Bridge gets the signature, from which it recovers the key to pay to', (t) => {
  const executable = toExecutable(signedTransaction({ to: BRIDGE }), COW.address, 33)
  const record = executable?.signature
  if (record === undefined) throw new Error('there is no signature')
  t.same(recoverAddresses(record), Buffer.concat([Buffer.from([1]), COW.address]))
  t.end()
})

t.test('no other contract gets it', (t) => {
  for (const to of [COW.address, Buffer.alloc(0)]) {
    const executable = toExecutable(signedTransaction({ to }), COW.address, 33)
    t.equal(executable?.signature, undefined)
  }
  t.end()
})
