import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { startCommand } from '../../test/support/cli.ts'

const POLL_MS = 100
const MAX_POLLS = 6_000

/** Bytes of the newest trie of a data directory, in a store that is restored from a snapshot of it below `folder`. */
export async function measureLiveTrie(dataDir: string, folder: string): Promise<number> {
  const [snapshot, restored] = [join(folder, 'snapshot'), join(folder, 'restored')]
  await run(['snapshot', 'create', '--data-dir', dataDir, '--output', snapshot])
  await run(['snapshot', 'restore', '--unsigned', '--data-dir', restored, snapshot])
  return sizeIn(await tablesOf(restored), 'nodes', 'values', 'states')
}

/** Bytes of the tables of a data directory's state store by name, once the one of the newest state is there. */
export async function tablesOf(
  dataDir: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, number>> {
  const { stateStore, close } = openConfiguredChain(
    loadConfig({ flags: { network: 'regtest', dataDir, ...flags } }),
  )
  try {
    for (let poll = 0; stateStore.headProgress().phase !== 'ready'; poll += 1) {
      if (poll === MAX_POLLS) throw new Error('the table of the newest state does not come')
      await sleep(POLL_MS)
    }
    return new Map(stateStore.tableSizes().map(({ table, bytes }) => [table, bytes]))
  } finally {
    await close()
  }
}

/** Sum of some tables. */
export function sizeIn(sizes: ReadonlyMap<string, number>, ...tables: readonly string[]): number {
  return tables.reduce((sum, table) => sum + (sizes.get(table) ?? 0), 0)
}

/** Runs the command line. @throws Error when it fails */
export async function run(args: readonly string[]): Promise<void> {
  const { code, stderr } = await startCommand([...args, '--log-level', 'warn']).done
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
}
