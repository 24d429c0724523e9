import { Writable } from 'node:stream'
import t from 'tap'
import { ClockWatch } from '../../../src/node/peers/clockWatch.ts'
import { createLogger } from '../../../src/observe/logger.ts'

/** A watch at second 1,000 by its clock, and what it logs. */
function watchAt(seconds: number) {
  const lines: { level: number; seconds?: number }[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const log = createLogger({ level: 'info', format: 'json', output })
  return { watch: new ClockWatch(() => seconds * 1000, log), lines }
}

t.test('four heads of the future in a row, and the least of them counts', async (t) => {
  const { watch, lines } = watchAt(1000)
  for (const timestamp of [1040, 1030, 1050]) watch.note(timestamp)
  t.equal(watch.behind, null)
  watch.note(1045)
  t.equal(watch.behind, 30)
  watch.note(1060)
  t.match(lines, [{ level: 40, seconds: 30 }], 'said once')
  t.equal(lines.length, 1)
  watch.note(1001)
  t.equal(watch.behind, null)
  t.equal(lines.length, 2, 'and that it is over')
})

t.test('one maker with a wrong clock, and blocks that are caught up with, say nothing', async (t) => {
  const { watch, lines } = watchAt(1000)
  for (const timestamp of [1040, 1030, 1000, 1050, 1060, 1015, 1015, 1015, 1015, 10, 20, 30, 40]) {
    watch.note(timestamp)
    t.equal(watch.behind, null)
  }
  t.same(lines, [])
})
