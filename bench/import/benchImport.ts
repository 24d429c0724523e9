import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unpackedVector } from '../../test/support/vectors.ts'
import { generateChain } from '../chain/generateChain.ts'
import { WORKLOAD_NAMES, type WorkloadName } from '../chain/workloads.ts'
import { describeMachine } from '../report/machine.ts'
import { barChart } from '../report/plot.ts'
import { type Row, saveSections, WORK_FOLDER } from '../report/results.ts'
import type { ImportStats } from './measureImport.ts'

const RECORDED = {
  'recorded: served chain': 'rpc/chain-main.jsonl',
  'recorded: 1,100 blocks': 'consensus/remasc-long.jsonl',
}
/** Blocks per second of RSKj's peer sync of a regtest chain (`test/vectors/recorded/README.md`, peer speeds). */
const RSKJ_SYNC = [40, 90] as const
/** Target of the ratio on token blocks. */
const TARGET = 10
/** Transactions in blocks like those that RSKj was recorded with. */
const SMALL_BLOCK = 2
const SMALL_TOKEN = `token, ${SMALL_BLOCK} a block`
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

/**
 * `bench -- import [--blocks N] [--per-block N] [--runs N] [--only NAME …]`: imports recorded and generated
 * chains, each in a process and a data directory of its own, and reports the median run by time.
 */
export async function benchImport(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '2000' },
      'per-block': { type: 'string', default: '20' },
      runs: { type: 'string', default: '3' },
      'commit-every': { type: 'string', default: '64' },
      only: { type: 'string', multiple: true },
    },
  })
  const machine = describeMachine()
  const chosen = (name: string) => values.only?.some((part) => name.includes(part)) ?? true
  const chains: { name: string; file: string }[] = []
  for (const [name, file] of Object.entries(RECORDED))
    if (chosen(name)) chains.push({ name, file: unpackedVector(file) })
  for (const workload of WORKLOAD_NAMES) {
    if (!chosen(workload)) continue
    chains.push({
      name: workload,
      file: await generated(workload, Number(values.blocks), Number(values['per-block'])),
    })
  }
  if (chosen(SMALL_TOKEN)) {
    chains.push({ name: SMALL_TOKEN, file: await generated('token', Number(values.blocks), SMALL_BLOCK) })
  }
  const rows: Row[] = []
  const detail: Record<string, ImportStats[]> = {}
  for (const { name, file } of chains) {
    const runs = Array.from({ length: Number(values.runs) }, () => runChild(file, values['commit-every']))
    runs.sort((a, b) => a.seconds - b.seconds)
    detail[name] = runs
    const median = runs[Math.floor(runs.length / 2)]
    if (median !== undefined) rows.push(toRow(name, median))
  }
  const speeds = rows.map((row) => Number(row['blocks/s']))
  const names = rows.map((row) => String(row['chain']))
  const svg = barChart('Imported blocks per second (logarithmic)', names, [
    { name: 'rhizome', values: speeds },
  ])
  const section = { title: 'Imports', rows, plot: { name: 'speeds', svg } }
  saveSections('import', machine, [section], { options: values, runs: detail })
}

async function generated(workload: WorkloadName, blocks: number, perBlock: number): Promise<string> {
  const file = `${WORK_FOLDER}${workload}-${blocks}x${perBlock}.rlp`
  process.stderr.write(`${workload}: generating ${blocks} blocks of ${perBlock} transactions\n`)
  await generateChain({ workload, blocks, transactionsPerBlock: perBlock, file })
  return file
}

function runChild(file: string, commitEvery: string): ImportStats {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  try {
    const args = [...process.execArgv, CHILD, file, dataDir, commitEvery]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ImportStats
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function toRow(name: string, stats: ImportStats): Row {
  const { blocks, seconds } = stats
  return {
    chain: name,
    blocks,
    transactions: stats.transactions,
    'blocks/s': blocks / seconds,
    'tx/s': stats.transactions / seconds,
    'Mgas/s': stats.gas / 1e6 / seconds,
    'CPU ms/block': (stats.processorSeconds * 1000) / blocks,
    'memory MiB': Math.round(stats.memoryMiB),
    'own memory MiB': Math.round(stats.ownMemoryMiB),
    'chain store bytes/block': Math.round(stats.chainBytes / blocks),
    'state store bytes/block': Math.round(stats.stateBytes / blocks),
    [`ratio to RSKj, recorded (target ${TARGET})`]: ratioToPeer(name, blocks / seconds),
  }
}

/** RSKj was recorded with small blocks over its peer sync: the ratio to its slowest and its fastest. */
function ratioToPeer(name: string, speed: number): string {
  const [slow, fast] = RSKJ_SYNC
  const ratio = `${Math.round(speed / fast)}–${Math.round(speed / slow)}`
  return name === SMALL_TOKEN ? `${ratio} (${speed / fast >= TARGET ? 'met' : '**not met**'})` : ratio
}
