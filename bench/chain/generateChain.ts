import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { networkByName } from '../../src/config/networks/byName.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { BlockMaker } from './blockMaker.ts'
import { createWorkload, type WorkloadName } from './workloads.ts'

export interface GenerateOptions {
  readonly workload: WorkloadName
  /** Number of blocks after those that set up accounts and contracts. */
  readonly blocks: number
  readonly transactionsPerBlock: number
  /** File of concatenated RLP blocks to write. */
  readonly file: string
  readonly onBlock?: (number: number) => void
}

/**
 * Writes a valid regtest chain: built by the node's own block builder from transactions of fixed keys, at
 * fixed times. The same options give the same bytes; an existing file is kept.
 */
export async function generateChain(options: GenerateOptions): Promise<void> {
  const { file } = options
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-chain-'))
  const spec = networkByName('regtest')
  const opened = openChain({ spec, dataDir: folder })
  const unfinished = `${file}.unfinished`
  const output = createWriteStream(unfinished)
  try {
    const { chain } = opened
    const maker = new BlockMaker(spec, opened)
    const workload = createWorkload(options.workload)
    const last = workload.setup.length + options.blocks
    while (chain.head.number < last) {
      maker.makeCommit(workload, options.transactionsPerBlock, last, ({ encoded, number }) => {
        output.write(encoded)
        options.onBlock?.(number)
      })
      // Yields to the write of the file, because the next batch awaits nothing else.
      if (output.writableNeedDrain) await once(output, 'drain')
    }
    output.end()
    await finished(output)
    renameSync(unfinished, file)
  } finally {
    output.destroy()
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
