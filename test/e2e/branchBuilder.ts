import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { toHex } from '../../src/util/bytes.ts'
import type { NodeProcess } from '../support/nodeProcess.ts'

/** A block of a branch as another node gets it. */
export interface BranchBlock {
  readonly number: number
  readonly hash: string
  /** RLP, `0x` hex. */
  readonly encoded: string
}

/** Seconds between the blocks of a branch. */
const BLOCK_TIME = 10

/** A node that makes no blocks by itself, to build branches with that others are given. */
export class BranchBuilder {
  readonly #node: NodeProcess

  constructor(node: NodeProcess) {
    this.#node = node
  }

  /** Builds blocks on the head, each of the transactions given for it. */
  async extend(blocks: readonly (readonly Transaction[])[]): Promise<BranchBlock[]> {
    const built: BranchBlock[] = []
    for (const transactions of blocks) {
      for (const { encoded } of transactions) {
        await this.#node.request('eth_sendRawTransaction', [toHex(encoded)])
      }
      built.push(await mineBlock(this.#node))
    }
    return built
  }

  /** Builds blocks as {@link extend}, and goes back to where it was. */
  async branch(blocks: readonly (readonly Transaction[])[]): Promise<BranchBlock[]> {
    const fork = await this.#node.request<string>('evm_snapshot')
    const built = await this.extend(blocks)
    await this.#node.request('evm_revert', [fork])
    return built
  }
}

/** Lets a node make one block of what it has. */
export async function mineBlock(node: NodeProcess): Promise<BranchBlock> {
  const { timestamp } = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest'])
  await node.request('evm_mine', [Number(timestamp) + BLOCK_TIME])
  const { number, hash } = await node.request<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
  ])
  return { number: Number(number), hash, encoded: await node.request('debug_getRawBlock', [number]) }
}

/** Gives a node blocks of another, in their order. */
export async function importBlocks(node: NodeProcess, blocks: readonly BranchBlock[]): Promise<void> {
  for (const { encoded } of blocks) await node.request('evm_importRawBlock', [encoded])
}
