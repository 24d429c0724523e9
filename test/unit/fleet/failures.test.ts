import t from 'tap'
import { Failures } from '../../../src/fleet/runtime/failures.ts'
import type { Logger } from '../../../src/observe/logger.ts'

t.test('what fails is counted, logged once a minute, and stops nothing', (t) => {
  const logged: unknown[] = []
  const counts: Record<string, number> = {}
  const log = { warn: (...line: unknown[]) => logged.push(line) } as unknown as Logger
  const failures = new Failures(log, counts)
  const error = new Error('no message')
  failures.add('skipped', 'skipped', error, 0)
  failures.add('skipped', 'skipped', error, 59_999)
  failures.add('skipped', 'elsewhere', error, 59_999)
  t.same(
    logged,
    [
      [{ err: error, times: 1 }, 'skipped'],
      [{ err: error, times: 3 }, 'elsewhere'],
    ],
    'each in its own minute',
  )
  failures.add('skipped', 'skipped', error, 60_000)
  t.same(logged.at(-1), [{ err: error, times: 3 }, 'skipped'])
  failures.count('told', 5)
  t.same(counts, { skipped: 4, told: 5 })
  failures.guard('skipped', 'thrown', () => {
    throw error
  })
  t.equal(counts['skipped'], 5)
  t.match(logged.at(-1), [{ err: error }, 'thrown'])
  t.end()
})
