import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { createSnapshot } from '../../src/snapshot/createSnapshot.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { verifySnapshot } from '../../src/snapshot/verifySnapshot.ts'
import { generateChain } from '../chain/generateChain.ts'
import { WORKLOAD_NAMES, type WorkloadName } from '../chain/workloads.ts'
import { describeMachine } from '../report/machine.ts'
import { WORK_FOLDER } from '../report/results.ts'

const MEBIBYTE = 1024 * 1024

/**
 * `bench -- snapshot [--blocks N] [--per-block N] [--workload NAME] [--full]`: generates a chain, imports it, then
 * times making, checking and restoring a snapshot of all its blocks. Prints one line each.
 */
export async function benchSnapshot(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '10000' },
      'per-block': { type: 'string', default: '2' },
      workload: { type: 'string', default: WORKLOAD_NAMES[0] ?? '' },
      full: { type: 'boolean', default: false },
    },
  })
  const [blocks, perBlock] = [Number(values.blocks), Number(values['per-block'])]
  const workload = WORKLOAD_NAMES.find((name) => name === values.workload) as WorkloadName | undefined
  if (workload === undefined) throw new RangeError(`--workload: one of ${WORKLOAD_NAMES.join(', ')}`)
  const file = join(WORK_FOLDER, `snapshot-${workload}-${blocks}-${perBlock}.rlp`)
  const spec = networkByName('regtest')
  const work = mkdtempSync(join(tmpdir(), 'rhizome-bench-snapshot-'))
  const [dataDir, folder, restored] = [join(work, 'chain'), join(work, 'snapshot'), join(work, 'restored')]
  process.stdout.write(`${JSON.stringify(describeMachine())}\n`)
  try {
    await generateChain({ workload, blocks, transactionsPerBlock: perBlock, file })
    const opened = openChain({ spec, dataDir })
    const report = await timed('import', () =>
      importBlocks({ path: file, spec, chain: opened.chain, commitEvery: 64 }),
    )
    await opened.close()
    const { manifest } = await timed('create', () =>
      createSnapshot({
        spec,
        dataDir,
        folder,
        depth: 0,
        blocks: values.full ? null : Number.MAX_SAFE_INTEGER,
        full: values.full,
        program: 'bench',
        created: new Date(),
      }),
    )
    const trust = { kind: 'anyone' } as const
    const source = new FolderSource(folder)
    await timed('verify', () => verifySnapshot({ spec, source, trust }))
    await timed('restore', () => restoreSnapshot({ spec, source, trust, dataDir: restored }))
    const sum = (key: 'size' | 'packedSize') =>
      (manifest.chunks.reduce((total, chunk) => total + chunk[key], 0) / MEBIBYTE).toFixed(1)
    process.stdout.write(
      `${report.connected} blocks, ${report.transactions} transactions: ${manifest.chunks.length} chunks, ` +
        `${sum('size')} MiB, ${sum('packedSize')} MiB compressed\n`,
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  process.stdout.write(`${name.padEnd(8)}${((performance.now() - start) / 1000).toFixed(2)} s\n`)
  return result
}
