import t from 'tap'
import { stateDiff } from '../../../../src/rpc/tracers/stateDiff.ts'

const ACCOUNT = `0x${'17'.repeat(20)}`
const one = (pre: object, post: object) =>
  stateDiff({ pre: { [ACCOUNT]: pre }, post: { [ACCOUNT]: post } })[ACCOUNT]

t.test('an account that was nothing before is new', async (t) => {
  t.same(one({ balance: '0x0' }, { balance: '0x5' }), {
    balance: { '+': '0x5' },
    code: { '+': '0x' },
    nonce: { '+': '0x0' },
    storage: {},
  })
})

t.test('an account that had something is another', async (t) => {
  for (const had of [{ nonce: 1 }, { code: '0x00' }, { balance: '0x1' }]) {
    t.match(one({ balance: '0x0', ...had }, { balance: '0x5' }), { balance: { '*': { to: '0x5' } } })
  }
})
