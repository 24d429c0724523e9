import { appendFileSync } from 'node:fs'
import { AccessStore } from '../../src/storage/access/accessStore.ts'

/**
 * Counts requests of a member whose process goes on with the life of its store after the first half of them; kills
 * itself before the nth row that it encodes for its store: in the middle of each of its transactions.
 */
const [dataDir = '', acknowledged = '', nth = '0', rounds = '0'] = process.argv.slice(2)

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
store.lives.join(MEMBER)
for (let round = 0; round < Number(rounds); round += 1) {
  const methods = new Map([['eth_call', { count: 1, cost: 2, bytes: 3, errors: 0, refused: 0 }]])
  await store.addUsage(['k', 'other'].map((id) => ({ id, day: DAY, methods })))
  appendFileSync(acknowledged, '1\n')
  if (round === Math.floor(Number(rounds) / 2)) await store.lives.resume([], [])
}
await store.close()
