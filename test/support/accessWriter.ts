import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { keyRecord } from './keyRecords.ts'

// Run as a process of its own: makes keys and notes usage as fast as it can, and says what is acknowledged.
const [dataDir = '', name = ''] = process.argv.slice(2)
const store = AccessStore.open({ dataDir })
for (let number = 0; ; number += 1) {
  store.create(keyRecord(`${name}-${number}`))
  const usage = { count: 1, cost: 2, bytes: 3, errors: 0, refused: 0 }
  await store.addUsage([{ id: name, day: 7, methods: new Map([['eth_call', usage]]) }])
  process.stdout.write(`${number}\n`)
}
