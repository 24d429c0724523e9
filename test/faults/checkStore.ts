import { checkChain } from '../../src/chain/check/checkChain.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'

/**
 * Walks the store of a regtest node that does not run, as `rhizome check` does, without the start of a process.
 * @param stateBlocks newest blocks whose whole state is read
 * @returns canonical blocks
 * @throws Error with the problems that were found
 */
export async function checkStore(dataDir: string, stateBlocks: number): Promise<number> {
  const spec = networkByName('regtest')
  const { environment, stateStore, close } = openChain({ spec, dataDir })
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
  }
}
