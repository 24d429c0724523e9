import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { createStateChecker } from '../../src/execution/stateChecker.ts'
import { createLocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { accessFaults, type ExpectedAccess } from './acknowledgedAccess.ts'

/** What must be there, `0x` hex. */
export interface Expected {
  readonly transactions: readonly string[]
  readonly blocks: readonly string[]
  readonly access: ExpectedAccess
}

/** Limits under which nothing that waits leaves the pool for its age. */
export const PATIENT = { outdatedBlocks: 1_000_000, outdatedTime: 31_536_000 } as const

/** A copy of a data directory beside it, to be removed by {@link checkCopy}. */
export function copyStore(dataDir: string): string {
  const copy = mkdtempSync(`${dataDir}-copy-`)
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

/**
 * Opens a copy of a regtest node's data directory as a start does, walks it as `rhizome check` does and looks for
 * what was acknowledged, all in this process. A copy, because a state store stays open in a process until it is
 * collected, and would not see what another process appends.
 * @param stateBlocks newest blocks whose whole state is read
 * @returns canonical blocks
 * @throws Error with what is wrong
 */
export async function checkCopy(copy: string, stateBlocks: number, expected: Expected): Promise<number> {
  const spec = networkByName('regtest')
  const config = fillDefaults({
    network: 'regtest',
    mining: false,
    mergedMining: false,
    dataDir: copy,
    ...PATIENT,
  })
  const { core, close } = createLocalNode({
    chain: chainOptionsFromConfig(config, 'Rhizome-check'),
    node: nodeInfoFromConfig(config, 'check'),
  })
  try {
    const { chain, environment, stateStore } = core.open
    const { blocks, problems } = checkChain({
      spec,
      environment,
      states: createStateChecker(spec, stateStore),
      stateBlocks,
    })
    const hasTransaction = (hash: string) =>
      core.pool.get(hash.slice(2)) !== undefined || chain.reader.locateTransaction(fromHex(hash)) !== null
    const store = AccessStore.open({ dataDir: copy, checked: true })
    const access = accessFaults(store, expected.access)
    await store.close()
    const faults = [
      ...access,
      ...problems.map(({ number, message }) => `block ${number}: ${message}`),
      ...expected.transactions
        .filter((hash) => !hasTransaction(hash))
        .map((hash) => `transaction ${hash} is gone`),
      ...expected.blocks
        .filter((hash) => chain.reader.heightOf(fromHex(hash)) === null)
        .map((hash) => `block ${hash} is gone`),
    ]
    if (faults.length === 0) return blocks
    throw new Error(`${faults.length} faults in ${copy}:\n${faults.slice(0, 20).join('\n')}`)
  } finally {
    await close()
    rmSync(copy, { recursive: true, force: true })
  }
}
