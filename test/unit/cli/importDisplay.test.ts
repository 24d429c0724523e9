import { PassThrough } from 'node:stream'
import t from 'tap'
import type { ImportProgress } from '../../../src/chain/import/importBlocks.ts'
import { createImportDisplay, formatBar, formatSeconds, paceOf } from '../../../src/cli/importDisplay.ts'
import { createLogger } from '../../../src/observe/logger.ts'

const progress: ImportProgress = {
  blocks: 510,
  connected: 500,
  gas: 25_000_000n,
  transactions: 900,
  head: 500,
  offset: 250,
  bytes: 1000,
}

t.test('the pace is of connected blocks, the rest of the file', (t) => {
  t.same(paceOf(progress, 5000), { blocksPerSecond: 100, megagasPerSecond: 5, fraction: 0.25, remaining: 15 })
  t.equal(paceOf({ ...progress, offset: 0 }, 5000).remaining, null)
  t.equal(
    formatBar(progress, paceOf(progress, 5000)),
    '██████░░░░░░░░░░░░░░░░░░ 25 %  block 500  100 blocks/s, 5.0 Mgas/s  15 s left',
  )
  t.end()
})

t.test('seconds become minutes and hours', (t) => {
  t.equal(formatSeconds(0.2), '1 s')
  t.equal(formatSeconds(61), '1 min 1 s')
  t.equal(formatSeconds(3 * 3600 + 120), '3 h 2 min')
  t.end()
})

function show(isTTY: boolean, times: readonly number[]): string {
  const output: PassThrough & { isTTY?: boolean } = new PassThrough()
  output.isTTY = isTTY
  const clock = [0, ...times]
  const logger = createLogger({ level: 'info', format: 'json', output })
  const display = createImportDisplay(output, logger, () => clock.shift() ?? 0)
  for (const _ of times) display.update(progress)
  display.end()
  return String(output.read() ?? '')
}

t.test('a terminal gets a bar that is redrawn', (t) => {
  const text = show(true, [50, 200, 250, 400])
  t.equal(text.split('block 500').length - 1, 2, 'not more often than the eye sees')
  t.ok(text.endsWith('\r\u001b[2K'), 'the line is cleared at the end')
  t.end()
})

t.test('elsewhere one line is logged per interval', (t) => {
  const entries = show(false, [5000, 10_000, 15_000, 20_000])
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  t.equal(entries.length, 2)
  t.match(entries[1], { msg: 'importing', head: 500, blocksPerSecond: 25, percent: 25 })
  t.end()
})
