import type { Hex } from 'viem'
import { askNode } from '../../test/support/nodeProcess.ts'
import type { BenchAccount } from './account.ts'

const TRANSFER_GAS = 21_000n
/** Most requests of one batch of RSKj. */
const BATCH = 50

/** Ways to mine a number of blocks or some of them, the fastest first. */
const WAYS: readonly ((sender: BenchAccount, blocks: number) => Promise<unknown>)[] = [
  ({ url }, blocks) => askNode(url, 'evm_mine', [{ blocks }]),
  ({ url }, blocks) => mineByBatch(url, Math.min(blocks, BATCH)),
  (sender) => sender.send({ to: sender.account.address, gas: TRANSFER_GAS }),
]

/** Mines blocks up to a height: at once where the node can, else with a request or transaction each. */
export async function mineBlocks(sender: BenchAccount, target: number): Promise<void> {
  let way = 0
  for (;;) {
    const left = target - Number(await askNode<Hex>(sender.url, 'eth_blockNumber', []))
    if (left <= 0) return
    const make = WAYS[way]
    if (make === undefined) throw new Error(`${sender.url} makes no blocks`)
    await make(sender, left).catch((error: unknown) => {
      way += 1
      if (way === WAYS.length) throw error
    })
  }
}

/** RSKj mines one block per `evm_mine` and accepts no number. */
async function mineByBatch(url: string, blocks: number): Promise<void> {
  const requests = Array.from({ length: blocks }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'evm_mine',
    params: [],
  }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(requests) })
  const answers = (await response.json()) as
    | { error?: { message: string } }[]
    | { error?: { message: string } }
  const error = [answers].flat().find((answer) => answer.error !== undefined)?.error
  if (error !== undefined) throw new Error(error.message)
}
