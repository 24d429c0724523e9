import type { Hex } from 'viem'
import { askNode } from '../../test/support/nodeProcess.ts'
import type { BenchAccount } from './account.ts'

const TRANSFER_GAS = 21_000n

/** Makes blocks until the head has a height: at once where the node can, else with a transaction each. */
export async function mineBlocks(sender: BenchAccount, target: number): Promise<void> {
  const { url } = sender
  let canMine = true
  for (;;) {
    const left = target - Number(await askNode<Hex>(url, 'eth_blockNumber', []))
    if (left <= 0) return
    if (canMine) {
      canMine = await askNode(url, 'evm_mine', [{ blocks: left }]).then(
        () => true,
        () => false,
      )
    } else {
      await sender.send({ to: sender.account.address, gas: TRANSFER_GAS })
    }
  }
}
