import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { createSyncDisplay, formatSyncBar } from '../../../src/cli/syncDisplay.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import type { SyncStats } from '../../../src/sync/client/syncStats.ts'

const SYNCING: SyncStats = {
  stage: 'blocks',
  syncing: true,
  startingBlock: 0,
  currentBlock: 500,
  highestBlock: 2000,
  checkedHeader: 1200,
  headersPerSecond: 300,
  blocksPerSecond: 100.26,
  secondsLeft: 75,
  peersUsed: 2,
  headerBytes: 0,
  blockBytes: 0,
}
const CAUGHT_UP: SyncStats = { ...SYNCING, stage: 'following', syncing: false, currentBlock: 2000 }

/** A display whose clock the test moves, what it draws and what it logs. */
function displayOn(isTTY: boolean) {
  const lines: Record<string, unknown>[] = []
  const log = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const output = Object.assign(new PassThrough(), { isTTY })
  const clock = { time: 1000 }
  const logger = createLogger({ level: 'info', format: 'json', output: log })
  const drawn = () => String(output.read() ?? '')
  return { display: createSyncDisplay(output, logger, () => clock.time), lines, drawn, clock }
}

t.test('the bar is of blocks; while headers are checked it tells of those', async (t) => {
  t.equal(
    formatSyncBar(SYNCING, 3),
    '██████░░░░░░░░░░░░░░░░░░ 25 %  block 500 of 2000  100 blocks/s  1 min 15 s left  3 peers',
  )
  t.match(formatSyncBar({ ...SYNCING, secondsLeft: null }, 3), '– left')
  t.match(formatSyncBar({ ...SYNCING, stage: 'headers' }, 3), 'headers to 1200, 300 headers/s')
})

t.test('on a terminal a bar that is drawn over itself, and a line at the end', async (t) => {
  const { display, lines, drawn, clock } = displayOn(true)
  display.update(SYNCING, 3)
  t.equal(drawn(), `\r\u001b[2K${formatSyncBar(SYNCING, 3)}\r`)
  t.same(lines, [])
  clock.time += 15_000
  display.update(CAUGHT_UP, 3)
  t.equal(drawn(), '\r\u001b[2K')
  t.match(lines, [{ msg: 'caught up with peers', block: 2000, blocks: 1500, seconds: 15 }])
  display.update(CAUGHT_UP, 3)
  display.end()
  t.equal(drawn(), '', 'nothing is left to take away')
  t.equal(lines.length, 1)
})

t.test('elsewhere a line each half minute', async (t) => {
  const { display, lines, drawn, clock } = displayOn(false)
  for (let second = 0; second <= 30; second++) {
    display.update(SYNCING, 3)
    clock.time += 1000
  }
  const line = {
    msg: 'synchronising',
    stage: 'blocks',
    block: 500,
    of: 2000,
    blocksPerSecond: 100.3,
    peers: 3,
  }
  t.match(lines, [line, line])
  t.equal(lines.length, 2)
  t.equal(drawn(), '')
})

t.test('a few blocks are nothing to speak of, and a halt is not the end', async (t) => {
  const { display, lines } = displayOn(false)
  display.update({ ...SYNCING, currentBlock: 1990 }, 3)
  display.update(CAUGHT_UP, 3)
  t.same(lines, [])
  display.update(SYNCING, 3)
  display.update({ ...CAUGHT_UP, stage: 'halted', currentBlock: 501 }, 3)
  t.equal(lines.length, 1, 'the line of the synchronisation')
})

t.test('while a snapshot is fetched the bar is of its stage', (t) => {
  const snapshot = { block: 1000, stateBytes: 3 << 20, stateSize: 12 << 20, blocksLeft: null, reason: null }
  const stats: SyncStats = { ...SYNCING, currentBlock: 0, snapshot }
  t.match(
    formatSyncBar({ ...stats, stage: 'state' }, 2),
    /25 % {2}snapshot of block 1000: state, 3 of 12 MiB {2}2 peers/,
  )
  t.match(
    formatSyncBar({ ...stats, stage: 'headers' }, 2),
    /60 % {2}snapshot: header 1200 of 2000, 300 headers\/s/,
  )
  t.match(
    formatSyncBar({ ...stats, stage: 'headers', highestBlock: 1200 }, 2),
    /^snapshot: header 1200, 300 headers\/s/,
    'nobody knows yet how many there are',
  )
  t.match(
    formatSyncBar({ ...stats, stage: 'blocks', snapshot: { ...snapshot, blocksLeft: 40 } }, 2),
    /block 1000: 40 blocks left, 100 blocks\/s/,
  )
  t.match(
    formatSyncBar({ ...stats, snapshot: { ...snapshot, reason: 'no peer' } }, 0),
    /snapshot: no peer {2}0 peers/,
  )
  t.end()
})
