import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { createLogger, type LoggerOptions, lostEntries } from '../../../src/observe/logger.ts'
import { LogOutput } from '../../../src/observe/logOutput.ts'

function capture(options: Omit<LoggerOptions, 'output'>, isTTY: boolean) {
  const output = Object.assign(new PassThrough(), { isTTY })
  const logger = createLogger({ ...options, output })
  return { logger, text: () => String(output.read() ?? '') }
}

t.test('entries are JSON where there is no terminal', (t) => {
  const { logger, text } = capture({ level: 'info', format: 'auto' }, false)
  logger.child({ part: 'chain' }).info({ number: 7 }, 'block imported')
  const entry = JSON.parse(text())
  t.match(entry, { part: 'chain', number: 7, msg: 'block imported' })
  t.equal(new Date(entry.time).toISOString(), entry.time)
  t.end()
})

t.test('entries are one readable line on a terminal', (t) => {
  const { logger, text } = capture({ level: 'info', format: 'auto' }, true)
  logger.child({ part: 'chain' }).info({ number: 7 }, 'block imported')
  const line = text()
  t.match(line, 'chain: block imported')
  t.match(line, '"number":7')
  t.equal(line.trimEnd().split('\n').length, 1)
  t.end()
})

t.test('less severe entries are left out', (t) => {
  const { logger, text } = capture({ level: 'warn', format: 'json' }, false)
  logger.info('left out')
  t.equal(text(), '')
  logger.warn('written')
  t.match(text(), 'written')
  t.end()
})

t.test('keys do not reach the log', (t) => {
  const { logger, text } = capture({ level: 'info', format: 'json' }, false)
  logger.info({ apiKey: 'secret-1', account: { privateKey: 'secret-2' } }, 'request')
  const line = text()
  t.notMatch(line, 'secret')
  t.match(line, '[hidden]')
  t.end()
})

t.test('an entry that cannot be written is left out, and their number is logged afterwards', (t) => {
  const path = join(t.testdir(), 'pipe')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  const output = new LogOutput(writer)
  t.teardown(() => {
    output.close()
    closeSync(writer)
    closeSync(reader)
  })
  const logger = createLogger({ level: 'info', format: 'json', output })
  // More than a pipe takes: the last entry that is begun is completed when there is room again.
  const count = 40
  for (let number = 0; number < count; number += 1) logger.info({ number }, 'long'.repeat(3000))
  const lost = lostEntries(logger)
  t.ok(lost > 0 && lost < count)
  const text = [readAll(reader)]
  logger.info('there is room again')
  text.push(readAll(reader))
  const entries = text
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(entries.length, count - lost + 2)
  t.match(entries.slice(-2), [{ msg: 'there is room again' }, { lines: lost, level: 40 }])
  t.equal(lostEntries(logger), lost)
  t.end()
})

function readAll(reader: number): string {
  const bytes = Buffer.alloc(1 << 20)
  return bytes.toString('utf8', 0, readSync(reader, bytes))
}
