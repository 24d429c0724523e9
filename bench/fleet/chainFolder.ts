import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateChain } from '../chain/generateChain.ts'
import { runImport } from '../import/runImport.ts'
import { WORK_FOLDER } from '../report/results.ts'

/** A data directory with a chain of token transfers, one in each block; made once. @returns its folder */
export async function chainFolder(blocks: number): Promise<string> {
  const folder = join(WORK_FOLDER, `fleet-token-${blocks}`)
  if (existsSync(folder)) return folder
  const file = join(WORK_FOLDER, `fleet-token-${blocks}.rlp`)
  const unfinished = `${folder}.unfinished`
  if (!existsSync(file)) {
    await generateChain({ workload: 'token', blocks, transactionsPerBlock: 1, file: unfinished })
    renameSync(unfinished, file)
  }
  rmSync(unfinished, { recursive: true, force: true })
  await runImport(file, unfinished, {})
  renameSync(unfinished, folder)
  return folder
}
