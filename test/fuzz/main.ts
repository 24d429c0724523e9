import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startNode } from '../support/nodeProcess.ts'
import { faultOfLog, faultOfMemory, stillAnswers } from './aftermath.ts'
import { type Fault, fuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '6' },
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
const report = await fuzz({
  node,
  seed,
  requests: Number(values.requests),
  clients: Number(values.clients),
  onProgress: (done, memory, faults) => {
    console.log(`${done} requests, ${Math.round(memory / MIB)} MiB, ${faults.length} faults`)
    show(faults)
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
for (const fault of aftermath) console.log(`afterwards: ${fault}`)
process.exitCode = faults.length + aftermath.length === 0 ? 0 : 1
