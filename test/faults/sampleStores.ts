import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { toHex } from '../../src/util/bytes.ts'
import { keyRecord } from '../support/keyRecords.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

/** Secret of the key that opens nodes on these stores. */
export const KEY_SECRET = 'ada-secret'

const MINED = 24
/** REMASC's delay is three blocks on this network. */
const REMUNERATED = MINED - 2
const WAITING = 6
/** More than a page, so that bodies have pages of their own. */
const DATA_BYTES = 6000

/**
 * Makes a regtest node's data directory by running one: blocks with transactions and code, some that wait in the
 * pool, a key with usage. Resolves to the hash of the block whose fees REMASC pays in the next one.
 */
export async function makeStores(dataDir: string): Promise<Buffer> {
  const access = AccessStore.open({ dataDir })
  access.create(keyRecord('ada'))
  await access.close()
  const miner = await startNode({ dataDir, path: `/${KEY_SECRET}` })
  let remunerated = Buffer.alloc(0)
  await stopAfter(miner, async () => {
    for (let nonce = 0; nonce < MINED; nonce += 1) await send(miner, nonce, nonce % 4 === 0 ? DATA_BYTES : 10)
    const block = await miner.request<{ hash: string }>('eth_getBlockByNumber', [
      `0x${REMUNERATED.toString(16)}`,
      false,
    ])
    remunerated = Buffer.from(block.hash.slice(2), 'hex')
  })
  const waiting = await startNode({ dataDir, path: `/${KEY_SECRET}`, args: ['--no-mining'] })
  await stopAfter(waiting, async () => {
    for (let nonce = MINED; nonce < MINED + WAITING; nonce += 1) await send(waiting, nonce, 10)
  })
  return remunerated
}

async function stopAfter(node: NodeProcess, work: () => Promise<void>): Promise<void> {
  await work().finally(() => node.stop('SIGTERM'))
  const { code } = await node.stop()
  if (code !== 0) throw new Error(node.output())
}

function send(node: NodeProcess, nonce: number, dataBytes: number): Promise<string> {
  const data = Buffer.alloc(dataBytes, nonce + 1)
  const { encoded } = signedTransaction({ nonce: BigInt(nonce), gasLimit: 1_500_000n, data })
  return node.request('eth_sendRawTransaction', [toHex(encoded)])
}
