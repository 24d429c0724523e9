import { parseBlock } from '../../src/chain/codec/block.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { fromHex, toHex } from '../../src/util/bytes.ts'
import { JsonRpcError } from '../support/nodeProcess.ts'
import type { LoadTarget } from './nodeLoad.ts'

/** Blocks that a peer hands in at most when the node lacks the parents of one. */
const MAX_GAP_BLOCKS = 64

/** Another node, in this process, that follows the chain of the one under test and mines on it, too. */
export class PeerMiner {
  readonly #node: LocalNode

  /** @param dataDir its own */
  constructor(dataDir: string) {
    const config = fillDefaults({ network: 'regtest', mining: false, mergedMining: false, dataDir })
    this.#node = createLocalNode({
      chain: chainOptionsFromConfig(config, 'Rhizome-peer'),
      node: nodeInfoFromConfig(config, 'peer'),
    })
  }

  /**
   * Takes over what the other has, mines a block and hands it in, with as many of its ancestors as the other lacks.
   * @returns hashes of what the other took
   */
  async give(other: LoadTarget): Promise<string[]> {
    await this.#follow(other)
    const { core } = this.#node
    await core.mine()
    const { reader } = core.open.chain
    const taken: string[] = []
    const missing = [core.open.chain.head.hash]
    while (missing.length > 0 && missing.length < MAX_GAP_BLOCKS) {
      const block = reader.blockByHash(missing.at(-1) ?? Buffer.alloc(0))
      if (block === null) throw new Error('a block of this chain is missing')
      try {
        taken.push(await other.request<string>('evm_importRawBlock', [toHex(block.encoded)]))
        missing.pop()
      } catch (error) {
        if (!(error instanceof JsonRpcError) || !error.message.includes('waits for')) throw error
        missing.push(block.header.parentHash)
      }
    }
    return taken
  }

  async close(): Promise<void> {
    await this.#node.close()
  }

  async #follow(other: LoadTarget): Promise<void> {
    const { chain } = this.#node.core.open
    const lacking: Buffer[] = []
    let hash = (await other.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash
    while (chain.reader.heightOf(fromHex(hash)) === null) {
      const encoded = await other.request<string | null>('debug_getRawBlock', [hash])
      // The head was replaced meanwhile.
      if (encoded === null) return
      lacking.push(fromHex(encoded))
      hash = toHex(parseBlock(this.#node.core.spec, fromHex(encoded)).header.parentHash)
    }
    for (const encoded of lacking.toReversed()) {
      const result = chain.connect(parseBlock(this.#node.core.spec, encoded))
      if (result.status === 'INVALID_BLOCK' || result.status === 'UNDECIDED') throw result.error
    }
  }
}
