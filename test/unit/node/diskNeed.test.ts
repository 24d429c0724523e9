import t from 'tap'
import { diskNeed, shortageOf } from '../../../src/node/diskNeed.ts'
import { openTestChain } from '../../support/openTestChain.ts'

t.test('a disk is compared with what an archive is computed to take', async (t) => {
  const { dataDir } = openTestChain(t)
  t.equal(diskNeed('regtest', dataDir), null)
  const main = diskNeed('main', dataDir)
  const testnet = diskNeed('testnet', dataDir)
  t.ok(main !== null && testnet !== null && main.need > testnet.need)
  t.ok((main?.available ?? 0) > 0)
})

t.test('a shortage is said with both figures', async (t) => {
  t.equal(shortageOf({ need: 5, available: 5 }), null)
  t.same(shortageOf({ need: 90 * 2 ** 30, available: 53 * 2 ** 30 }), { needGiB: 90, availableGiB: 53 })
})
