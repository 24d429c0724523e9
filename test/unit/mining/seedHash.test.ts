import t from 'tap'
import { seedHashOfTime, timeOfSeedHash } from '../../../src/mining/seedHash.ts'

t.test('a seed hash carries the time of its template', async (t) => {
  t.equal(timeOfSeedHash(seedHashOfTime(1_700_000_000)), 1_700_000_000)
})

t.test('eth_getWork failed on a chain whose time was moved beyond 32 bits', async (t) => {
  t.equal(timeOfSeedHash(seedHashOfTime(2 ** 32 + 7)), 7)
})
