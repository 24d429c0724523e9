import t from 'tap'
import type { HeadProgress, OlderProgress } from '../../../src/native/types.ts'
import { HeadTableLog } from '../../../src/node/headTableLog.ts'
import { createLogger } from '../../../src/observe/logger.ts'

t.test('it says how far a table is, once that there is no space for it, and when it is done', (t) => {
  const lines: Record<string, unknown>[] = []
  const output = { write: (line: string) => lines.push(JSON.parse(line)) > 0 }
  let progress: HeadProgress = { phase: 'ready', part: 1, needed: 0, available: 0 }
  const source = { headProgress: () => progress, olderProgress: () => null }
  const log = new HeadTableLog(source, createLogger({ level: 'info', format: 'json', output }))
  const look = (phase: HeadProgress['phase'], part = 0) => {
    progress = { phase, part, needed: 3 * 2 ** 20, available: 2 ** 21 + 5 }
    lines.length = 0
    log.look()
    return lines
  }
  t.same(look('ready'), [])
  t.match(look('noSpace'), [{ level: 40, neededMiB: 3, availableMiB: 2, msg: /--store-limit/ }])
  t.same(look('noSpace'), [])
  t.match(look('sorting', 0.375), [{ percent: 37, msg: /sorted/ }])
  t.match(look('merging', 1), [{ msg: /written/ }])
  t.match(look('ready', 1), [{ msg: 'the table of the newest state is at the head' }])
  t.same(look('ready', 1), [])
  t.match(look('moving', 0.5), [{ percent: 50 }])
  t.end()
})

t.test('it says how far the conversion of older blocks is, and when it ends', (t) => {
  const lines: Record<string, unknown>[] = []
  const output = { write: (line: string) => lines.push(JSON.parse(line)) > 0 }
  let older: OlderProgress | null = null
  const headProgress = (): HeadProgress => ({ phase: 'ready', part: 1, needed: 0, available: 0 })
  const log = new HeadTableLog(
    { headProgress, olderProgress: () => older },
    createLogger({ level: 'info', format: 'json', output }),
  )
  const look = (progress: OlderProgress | null) => {
    older = progress
    lines.length = 0
    log.look()
    return lines
  }
  t.same(look(null), [])
  t.same(look({ top: 90, low: 0, isUnderWay: false }), [], 'it was done before')
  t.match(look({ top: 90, low: 50, isUnderWay: true }), [
    { fromBlock: 90, block: 50, msg: /being converted/ },
  ])
  t.match(look({ top: 90, low: 0, isUnderWay: false }), [{ block: 0, msg: /are converted/ }])
  t.same(look({ top: 90, low: 0, isUnderWay: false }), [])
  t.end()
})
