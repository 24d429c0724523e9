import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { CHAIN_FOLDER, openChain, STATE_FOLDER } from '../../src/execution/openChain.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'

/**
 * Walks the store of a regtest node that does not run, as `rhizome check` does, without the start of a process. It
 * walks a copy: a state store stays open in a process until it is collected, and would not see what others append.
 * @param stateBlocks newest blocks whose whole state is read
 * @returns canonical blocks
 * @throws Error with the problems that were found
 */
export async function checkStore(dataDir: string, stateBlocks: number): Promise<number> {
  const spec = networkByName('regtest')
  const copy = mkdtempSync(`${dataDir}-copy-`)
  for (const folder of [CHAIN_FOLDER, STATE_FOLDER]) {
    const file = join(folder, 'data.mdb')
    cpSync(join(dataDir, file), join(copy, file))
  }
  const { environment, stateStore, close } = openChain({ spec, dataDir: copy })
  try {
    const { blocks, problems } = checkChain({
      spec,
      environment,
      states: {
        checkStateAfter: (header) => {
          stateStore.checkRoot(stateRootAfter(spec, stateStore, header))
        },
      },
      stateBlocks,
    })
    if (problems.length === 0) return blocks
    const text = problems.map(({ number, message }) => `block ${number}: ${message}`)
    throw new Error(`check of ${dataDir} found ${problems.length} problems:\n${text.slice(0, 20).join('\n')}`)
  } finally {
    await close()
    rmSync(copy, { recursive: true, force: true })
  }
}
