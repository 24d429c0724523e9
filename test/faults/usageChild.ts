import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { decodeDelta } from '../../src/storage/access/usageDelta.ts'

/**
 * Counts requests of a member, publishes them to a file that stands for the stream, and adds them; kills itself before
 * the nth row, delta or mark that it encodes for its store: in the middle of each of its transactions.
 */
const [dataDir = '', stream = '', acknowledged = '', nth = '0', rounds = '0'] = process.argv.slice(2)

const MEMBER = 'aaaaaaaaaaaaaaaa'
const DAY = 5

let left = Number(nth)
const { stringify } = JSON
JSON.stringify = ((...value: Parameters<typeof stringify>) => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  return stringify(...value)
}) as typeof stringify

const store = AccessStore.open({ dataDir, fleet: true })
const usage = store.fleetUsage
await usage.join('f', MEMBER)
for (let round = 0; round < Number(rounds); round += 1) {
  const methods = new Map([['eth_call', { count: 1, cost: 2, bytes: 3, errors: 0, refused: 0 }]])
  await store.addUsage(['k', 'other'].map((id) => ({ id, day: DAY, methods })))
  appendFileSync(acknowledged, '1\n')
  while (await usage.seal());
  const mark = usage.mark()
  if (mark === null) throw new Error('not joined')
  for (const { payload } of usage.outbox(usage.lastOf(mark) + 1)) appendFileSync(stream, `${payload}\n`)
  const lines = existsSync(stream) ? readFileSync(stream, 'utf8').split('\n').slice(0, -1) : []
  const deltas = lines.slice(mark.position).map((line) => decodeDelta(Buffer.from(line)))
  await usage.consume(deltas, { stream: 's', position: lines.length, storedAt: '' })
}
await store.close()
