import { join } from 'node:path'
import type { Test } from 'tap'
import { type Block, parseBlock } from '../../src/chain/codec/block.ts'
import type { ActivationHeights } from '../../src/config/activations.ts'
import { createNetworkSpec, type NetworkSpec } from '../../src/config/networkSpec.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import type { NetworkName } from '../../src/config/networks/names.ts'
import {
  type CreatedSnapshot,
  type CreateSnapshotOptions,
  createSnapshot,
} from '../../src/snapshot/createSnapshot.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { openTestChain } from './openTestChain.ts'
import { readVectorLines } from './vectors.ts'

interface ConfigLine {
  readonly network: string
  readonly genesisHash: `0x${string}`
  readonly activationHeights: Partial<ActivationHeights>
  readonly genesisJson: string | { readonly alloc: Readonly<Record<string, { readonly balance: string }>> }
}

interface BlockLine {
  readonly type: string
  readonly rlp: string
}

/** A chain with forks and rewards as it was recorded (`test/vectors/recorded/consensus/README.md`). */
export interface RewardChain {
  readonly spec: NetworkSpec
  /** In the order in which they were connected. */
  readonly blocks: readonly Block[]
}

/** Reads one of the `remasc*.jsonl` files. */
export function readRewardChain(name: string): RewardChain {
  const [config, ...lines] = readVectorLines<ConfigLine & BlockLine>(`consensus/${name}.jsonl`)
  if (config === undefined) throw new Error(`${name} is empty`)
  const { genesisJson, genesisHash } = config
  const genesis =
    typeof genesisJson === 'string'
      ? {}
      : {
          hash: genesisHash,
          stateRoot: null,
          accounts: Object.entries(genesisJson.alloc).map(([address, { balance }]) => ({
            address: `0x${address}` as const,
            balance: BigInt(balance),
          })),
        }
  const spec = createNetworkSpec(networkByName(config.network as NetworkName), {
    activationHeights: config.activationHeights,
    genesis,
  })
  const blocks = lines.filter(({ type }) => type === 'block').map(({ rlp }) => parseBlock(spec, fromHex(rlp)))
  return { spec, blocks }
}

/** Makes a snapshot of a data directory that is open in this process. */
export function makeSnapshot(
  options: Pick<CreateSnapshotOptions, 'spec' | 'dataDir' | 'folder'> & Partial<CreateSnapshotOptions>,
): Promise<CreatedSnapshot> {
  return createSnapshot({
    depth: 0,
    blocks: null,
    full: false,
    program: 'test',
    created: new Date(0),
    ...options,
  })
}

/** Restores a folder into a fresh data directory and opens the chain in it. */
export async function openRestored(t: Test, spec: NetworkSpec, folder: string, dataDir: string) {
  await restoreSnapshot({ spec, dataDir, source: new FolderSource(folder), trust: { kind: 'anyone' } })
  return openTestChain(t, { spec, dataDir })
}

/** A chain with some blocks connected, in a folder of the test. */
export function openWith(t: Test, spec: NetworkSpec, blocks: readonly Block[], folder: string) {
  const opened = openTestChain(t, { spec, dataDir: join(folder, 'chain') })
  for (const result of opened.chain.connectAll(blocks)) {
    if (result.status === 'INVALID_BLOCK' || result.status === 'UNDECIDED') throw result.error
  }
  return opened
}
