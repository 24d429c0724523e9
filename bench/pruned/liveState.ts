import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { STATE_FOLDER } from '../../src/execution/chainFolders.ts'
import { startCommand } from '../../test/support/cli.ts'
import { folderBytes } from './grownStores.ts'

/** Sizes of a state without anything from before it, bytes. */
export interface LiveState {
  readonly trie: number
  /** The table of the newest state. */
  readonly head: number
}

const POLL_MS = 100
const MAX_POLLS = 6_000

/** Sizes of the newest state of a data directory, in a store that is restored from a snapshot of it below `folder`. */
export async function measureLiveState(dataDir: string, folder: string): Promise<LiveState> {
  const [snapshot, restored] = [join(folder, 'snapshot'), join(folder, 'restored')]
  await run(['snapshot', 'create', '--data-dir', dataDir, '--output', snapshot])
  await run(['snapshot', 'restore', '--unsigned', '--data-dir', restored, snapshot])
  const trie = folderBytes(join(restored, STATE_FOLDER))
  // The first start makes the table.
  const { stateStore, close } = openConfiguredChain(
    loadConfig({ flags: { network: 'regtest', dataDir: restored } }),
  )
  try {
    for (let poll = 0; stateStore.headProgress().phase !== 'ready'; poll += 1) {
      if (poll === MAX_POLLS) throw new Error('the table of the newest state does not come')
      await sleep(POLL_MS)
    }
  } finally {
    await close()
  }
  // While it is made it is there twice: as runs, whose pages stay free, and as itself.
  return { trie, head: (folderBytes(join(restored, STATE_FOLDER)) - trie) / 2 }
}

/** Runs the command line. @throws Error when it fails */
export async function run(args: readonly string[]): Promise<void> {
  const { code, stderr } = await startCommand([...args, '--log-level', 'warn']).done
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
}
