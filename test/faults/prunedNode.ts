import { fillDefaults } from '../../src/config/load.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { bytesToBigInt } from '../../src/util/bytes.ts'
import { STRANGER, signedTransaction } from '../support/signedTransaction.ts'

/** Blocks whose tries and values are kept: fewer than a node may keep. */
export const KEPT = 8

/** Opens a regtest node in this thread that makes no blocks by itself and gives old states up. */
export function openPruned(dataDir: string): LocalNode {
  const config = fillDefaults({ network: 'regtest', mining: false, mergedMining: false, dataDir })
  return createLocalNode({
    chain: { ...chainOptionsFromConfig(config, 'Rhizome-test'), proofs: KEPT, history: KEPT },
    node: nodeInfoFromConfig(config, 'test'),
  })
}

/** Blocks that each give the stranger one wei; what is due of old states is given up after each. */
export async function growPruned({ core }: LocalNode, blocks: number): Promise<void> {
  const { chain, stateStore, environment } = core.open
  for (let block = 0; block < blocks; block += 1) {
    const { encoded } = signedTransaction({ nonce: BigInt(chain.head.number), value: 1n })
    await core.sendTransaction(encoded)
    await core.mine({ count: 1 })
    stateStore.settleEpochs()
    stateStore.settleHistory()
    // Tries go when the chain store has said so, durably.
    await environment.flushed()
  }
}

/** Blocks whose values are there, each of which must be what it was. @throws Error for one that is not */
export function readableBlocks({ core }: LocalNode): readonly number[] {
  const { spec, open } = core
  const found: number[] = []
  for (let number = 1; number <= open.chain.head.number; number += 1) {
    const header = open.chain.reader.headerByNumber(number)
    if (header === null) throw new Error(`block ${number} is gone`)
    if (!open.executor.hasValuesAfter(header)) continue
    const root = stateRootAfter(spec, open.stateStore, header)
    const balance = bytesToBigInt(open.stateStore.account(root, STRANGER.address)?.balance ?? Buffer.alloc(0))
    if (balance !== BigInt(number)) throw new Error(`at block ${number} there are ${balance} wei`)
    found.push(number)
  }
  return found
}
