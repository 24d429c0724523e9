import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { descriptorLimit, mostConnections, PER_THREAD } from '../../../src/node/descriptors.ts'

/** The files that this process has open. */
const OWN = '/proc/self/fd'
const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             63432                63432                processes
Max open files            1024                 524288               files
`

t.test('the soft limit is read', (t) => {
  t.equal(descriptorLimit(LIMITS), 1024)
  t.equal(descriptorLimit(''), Number.POSITIVE_INFINITY)
  t.equal(descriptorLimit(LIMITS.replace('1024  ', 'unlimited')), Number.POSITIVE_INFINITY)
  t.end()
})

t.test('connections leave descriptors to stores and workers', (t) => {
  t.equal(mostConnections(0, 2, 1024), 748)
  t.equal(mostConnections(100, 2, 1024), 100)
  t.equal(mostConnections(10_000, 2, 1024), 748)
  t.equal(mostConnections(0, 32, 1024), 508, 'more where there are many threads')
  t.equal(mostConnections(0, 2, 280), 70, 'a part where there are hardly any')
  t.equal(mostConnections(0, 2, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY)
  t.equal(mostConnections(50, 2, Number.POSITIVE_INFINITY), 50)
  t.end()
})

t.test(
  'a thread takes no more descriptors than are counted for it',
  { skip: !existsSync(OWN) },
  async (t) => {
    const start = async () => {
      const worker = new Worker('require("node:worker_threads").parentPort.on("message", () => {})', {
        eval: true,
        execArgv: [],
      })
      await once(worker, 'online')
      return worker
    }
    // What the first thread of a process opens stays open for all.
    const first = await start()
    const before = readdirSync(OWN).length
    const others = [await start(), await start(), await start()]
    t.ok(readdirSync(OWN).length <= before + PER_THREAD * others.length)
    await Promise.all([first, ...others].map((worker) => worker.terminate()))
  },
)
