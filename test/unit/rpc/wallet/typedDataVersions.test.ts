import { verifyTypedData } from 'ethers'
import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const ACCOUNT = toHex(COW.address)
const DOMAIN = { name: 'Versions', version: '1', chainId: 33, verifyingContract: `0x${'c0'.repeat(20)}` }
const TYPES = { Mail: [{ name: 'to', type: 'address' }], Post: [{ name: 'mail', type: 'Mail' }] }
const MESSAGE = { mail: { to: ACCOUNT } }

t.test('typed data by the names of EIP-712 and of version 3', async (t) => {
  const { answer, ask } = await openDevNode(t)
  const data = { types: TYPES, primaryType: 'Post', domain: DOMAIN, message: MESSAGE }
  for (const method of ['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4']) {
    const signature = await ask(method, ACCOUNT, method.endsWith('3') ? JSON.stringify(data) : data)
    t.equal(verifyTypedData(DOMAIN, TYPES, MESSAGE, signature).toLowerCase(), ACCOUNT, method)
  }
  const listed = {
    ...data,
    types: { ...TYPES, Post: [{ name: 'mail', type: 'Mail[]' }] },
    message: { mail: [MESSAGE.mail] },
  }
  t.ok(await ask('eth_signTypedData', ACCOUNT, listed))
  t.match(await answer('eth_signTypedData_v3', ACCOUNT, listed), {
    error: { code: -32602, message: /Post.mail: version 3 has no arrays/ },
  })
  t.match(await answer('eth_signTypedData', `0x${'5a'.repeat(20)}`, data), { error: { code: -32602 } })
  t.match(await answer('eth_signTypedData_v3', ACCOUNT, 'no JSON'), { error: { code: -32602 } })
})
