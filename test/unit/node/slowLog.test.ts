import { PassThrough } from 'node:stream'
import t from 'tap'
import { SlowLog } from '../../../src/node/slowLog.ts'
import { createLogger, setLogLevel } from '../../../src/observe/logger.ts'

const REQUEST = {
  method: 'eth_getLogs',
  lane: 'scan',
  caller: 'somebody',
  requestId: null,
  code: null,
  started: 0,
  sent: 400,
  ended: 1500,
  paramBytes: 10,
  answerBytes: 20,
}

t.test('slow requests are logged with where their time went, and not without bound', (t) => {
  const output = new PassThrough()
  const entries = () =>
    String(output.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  let time = 5000
  const logger = createLogger({ level: 'info', format: 'json', output })
  const log = new SlowLog(logger.child({ part: 'rpc' }), 1000, () => time)
  t.equal(log.threshold, 1000)
  log.onSlow({ ...REQUEST, requestId: 'r-1' })
  t.match(entries(), [
    { requestId: 'r-1', method: 'eth_getLogs', lane: 'scan', caller: 'somebody', waited: 400, ran: 1100 },
  ])
  for (let i = 0; i < 20; i++) log.onSlow(REQUEST)
  const written = entries()
  t.equal(written.length, 9)
  t.match(written[0].requestId, /^[0-9a-f]{16}$/)
  time += 1000
  log.onSlow(REQUEST)
  t.match(entries(), [{ leftOut: 11 }])
  setLogLevel(logger, 'error')
  log.onSlow(REQUEST)
  t.same(entries(), [], 'children follow the level of their logger')
  log.setThreshold(0)
  t.equal(log.threshold, Number.POSITIVE_INFINITY)
  t.end()
})
