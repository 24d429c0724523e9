import { PassThrough } from 'node:stream'
import t from 'tap'
import { createMigrationDisplay, formatMigrationBar } from '../../../src/cli/migrationDisplay.ts'
import { createLogger } from '../../../src/observe/logger.ts'

const progress = { store: 'the chain store', from: 4, to: 5, done: 250, rows: 1000 }

t.test('the bar says what becomes what, how far it is and how long it takes', (t) => {
  t.equal(
    formatMigrationBar(progress, 90),
    '██████░░░░░░░░░░░░░░░░░░ 25 %  the chain store: format 4 to 5, 250 of 1000 rows  1 min 30 s left',
  )
  t.match(formatMigrationBar({ ...progress, done: 0, rows: 0 }, null), /100 % .*– left$/)
  t.end()
})

t.test('a terminal gets a bar, everything else a log line per interval', (t) => {
  for (const isTTY of [true, false]) {
    const output = Object.assign(new PassThrough(), { isTTY })
    let time = 0
    const logger = createLogger({ level: 'info', format: 'json', output })
    const display = createMigrationDisplay(output, logger, () => time)
    display.update({ ...progress, done: 0 })
    t.equal(output.read(), null, 'not at once')
    time = 10_000
    display.update(progress)
    const shown = String(output.read())
    display.end()
    const end = output.read()
    if (isTTY) {
      t.match(shown, /25 % .* 30 s left$/)
      t.equal(String(end), '\r\u001b[2K')
    } else {
      t.match(JSON.parse(shown), {
        msg: 'converting the chain store',
        from: 4,
        to: 5,
        done: 250,
        rows: 1000,
        percent: 25,
        secondsLeft: 30,
      })
      t.equal(end, null)
    }
  }
  t.end()
})
