import { PassThrough } from 'node:stream'
import t from 'tap'
import { createLogger, type LoggerOptions } from '../../../src/observe/logger.ts'

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
