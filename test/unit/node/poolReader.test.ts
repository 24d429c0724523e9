import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { createPoolReader, type EncodedPool } from '../../../src/node/chainThread/chainService.ts'

t.test('the chain thread is not asked for a nonce while it is known that nothing is pending', async (t) => {
  let asked = 0
  let isEmpty = false
  const chain = {
    nextNonce: async () => {
      asked += 1
      return 7n
    },
  } as Partial<EncodedPool> as EncodedPool
  const spec = networkByName('regtest')
  const address = Buffer.alloc(20)
  const pool = createPoolReader(chain, spec, () => isEmpty)
  t.equal(await pool.nextNonce(address), 7n)
  isEmpty = true
  t.equal(await pool.nextNonce(address), null)
  t.equal(asked, 1)
  t.equal(await createPoolReader(chain, spec).nextNonce(address), 7n, 'a thread without events always asks')
})
