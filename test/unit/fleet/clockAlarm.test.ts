import t from 'tap'
import type { MemberStatus } from '../../../src/fleet/interface.ts'
import { ClockAlarm } from '../../../src/fleet/presence/clockAlarm.ts'
import type { Logger } from '../../../src/observe/logger.ts'

function member(name: string, clockAhead: number, present = true): MemberStatus {
  const none = { version: '', reason: null, executed: null, adopted: null, late: false, linked: null }
  return { ...none, id: name, name, present, heard: 0, clockAhead }
}

t.test('a clock that is off is told once a minute', (t) => {
  const told: unknown[] = []
  const alarm = new ClockAlarm({ error: (what: unknown) => told.push(what) } as unknown as Logger)
  alarm.look([member('a', 900), member('b', -5000, false)], 0)
  t.same(told, [], 'neither a small difference nor a member that is away')
  alarm.look([member('a', -1001), member('b', 5)], 10)
  t.same(told, [{ clocks: [{ name: 'a', ahead: -1001 }] }])
  alarm.look([member('a', -1001)], 60_000)
  t.equal(told.length, 1)
  alarm.look([member('a', -1001)], 60_011)
  t.equal(told.length, 2)
  t.end()
})
