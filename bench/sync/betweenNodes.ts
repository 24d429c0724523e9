import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImportStats } from '../import/measureImport.ts'
import type { Row, Section } from '../report/results.ts'
import type { SyncBenchOptions } from './benchSync.ts'
import { CHAINS, chainFile } from './chains.ts'
import { type SyncStats, startServer, synchronise } from './nodes.ts'

/** Of `import`, what a synchronisation between nodes of this kind has to reach. */
const TARGET_SHARE = 0.8
const COMMIT_EVERY = '64'
const IMPORT_CHILD = fileURLToPath(new URL('../import/child.ts', import.meta.url))

/** A new node from another one, by turns with imports of the same chain. */
export async function measureBetween(
  { blocks, runs, chain }: SyncBenchOptions,
  detail: Record<string, unknown>,
): Promise<Section> {
  const rows: Row[] = []
  for (const [workload, perBlock] of CHAINS) {
    const name = `${workload}, ${perBlock} a block`
    if (!name.includes(chain)) continue
    const file = await chainFile(workload, perBlock, blocks)
    const server = await startServer(file)
    const { enode, height, pid } = server
    const imports: ImportStats[] = []
    const syncs: SyncStats[] = []
    try {
      for (let run = 0; run < runs; run++) {
        imports.push(importOnce(file))
        syncs.push(await synchronise({ enodes: [enode], height, serverPid: pid }))
      }
    } finally {
      await server.close()
    }
    detail[`between, ${name}`] = { imports, syncs }
    const imported = medianOf(imports)
    const synced = medianOf(syncs)
    const share = imported.seconds / synced.seconds
    rows.push({
      chain: name,
      blocks: height,
      'import blocks/s': height / imported.seconds,
      'sync blocks/s': height / synced.seconds,
      'sync/import': share.toFixed(2),
      'import CPU ms/block': (imported.processorSeconds * 1000) / height,
      'client CPU ms/block': (synced.clientSeconds * 1000) / height,
      'server CPU ms/block': (synced.serverSeconds * 1000) / height,
      [`≥ ${TARGET_SHARE}`]: share >= TARGET_SHARE ? 'met' : '**not met**',
    })
  }
  const note =
    'By turns, median of the runs by time. Client and server share the machine, the import has it to itself. ' +
    'The time of a synchronisation begins when the client learns of its peer.'
  return { title: 'Between two nodes', note, rows }
}

function importOnce(file: string): ImportStats {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  try {
    const args = [...process.execArgv, IMPORT_CHILD, file, dataDir, COMMIT_EVERY]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ImportStats
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function medianOf<T extends { readonly seconds: number }>(runs: readonly T[]): T {
  const median = [...runs].sort((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]
  if (median === undefined) throw new Error('no run')
  return median
}
