import t from 'tap'
import { MinuteAllowance } from '../../../src/p2p/peers/minuteAllowance.ts'
import { DEFAULT_BACKFILL_LIMITS } from '../../../src/sync/backfill/limits.ts'
import { DEFAULT_SYNC_LIMITS } from '../../../src/sync/client/limits.ts'
import { DEFAULT_SNAPSHOT_LIMITS } from '../../../src/sync/snapshot/limits.ts'
import { VirtualTime } from '../../support/virtualTime.ts'

t.test('what is left to others is less than a peer that counts messages takes at once', async (t) => {
  const time = new VirtualTime()
  const allowance = new MinuteAllowance(time)
  await time.pass(600_000)
  const limits = { DEFAULT_SYNC_LIMITS, DEFAULT_SNAPSHOT_LIMITS, DEFAULT_BACKFILL_LIMITS }
  for (const [name, { reserve }] of Object.entries(limits))
    t.ok(reserve < allowance.paced, `${name} ${reserve}`)
  t.ok(DEFAULT_BACKFILL_LIMITS.reserve > DEFAULT_SYNC_LIMITS.reserve, 'the tip comes first')
})
