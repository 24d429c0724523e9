import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startNode } from '../support/nodeProcess.ts'
import { faultOfLog, stillAnswers } from './aftermath.ts'
import { faultOfMemory, memoryTrends, trendText } from './memoryTrend.ts'
import { type Fault, fuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '6' },
    // Nothing is sent while this file exists, for a machine on which others measure.
    'hold-file': { type: 'string' },
  },
})
const MIB = 1024 * 1024
const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-fuzz-'))
const node = await startNode({ dataDir, args: ['--log-format', 'json'] })
const seed = Number(values.seed)
console.log(`seed ${seed}`)

let shown = 0
const show = (faults: readonly Fault[]) => {
  for (const { client, fault, body } of faults.slice(shown)) {
    console.log(`client ${client}: ${fault}\n    ${JSON.stringify(body)}`)
  }
  shown = faults.length
}
const holdFile = values['hold-file']
const report = await fuzz({
  node,
  seed,
  requests: Number(values.requests),
  clients: Number(values.clients),
  onProgress: ({ requests, resident, own, heap }, faults) => {
    const [all, mine, objects] = [resident, own, heap].map((bytes) => Math.round(bytes / MIB))
    console.log(
      `${requests} requests, MiB: ${all} resident, ${mine} own, ${objects} heap; ${faults.length} faults`,
    )
    show(faults)
  },
  mayGoOn: async () => {
    while (holdFile !== undefined && existsSync(holdFile)) await sleep(1000)
  },
})
show(report.faults)
const aftermath = [faultOfMemory(report.memory), await stillAnswers(node), faultOfLog(node.output())].filter(
  (fault) => fault !== null,
)
await node.stop()
rmSync(dataDir, { recursive: true, force: true })
const { http, frames, raw, seconds, faults } = report
console.log(
  `${http} HTTP bodies, ${frames} WebSocket frames, ${raw} raw connections in ${Math.round(seconds)} s: ${faults.length} faults`,
)
for (const trend of memoryTrends(report.memory)) console.log(trendText(trend))
for (const fault of aftermath) console.log(`afterwards: ${fault}`)
process.exitCode = faults.length + aftermath.length === 0 ? 0 : 1
