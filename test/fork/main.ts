import { parseArgs } from 'node:util'
import { createNode } from '../../src/library/developmentNode.ts'
import { createRandom } from '../support/random.ts'
import { replayBlocks } from './replay.ts'
import { asking, makeUpstreamChain } from './upstreamChain.ts'

// Forks a chain of this program at the parents of random blocks, and executes each block whole.
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '200' },
    chain: { type: 'string', default: '400' },
    following: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    url: { type: 'string' },
  },
})
const random = createRandom(Number(values.seed))
const node = values.url === undefined ? await createNode({ process: 'child' }) : null
const url = values.url ?? node?.url ?? ''
const ask = asking(url)
try {
  if (node !== null) await makeUpstreamChain(ask, Number(values.chain), Number(values.seed))
  const head = Number(await ask('eth_blockNumber'))
  const following = Number(values.following)
  const totals = { blocks: 0, transactions: 0, uncles: 0, logs: 0, requests: 0, different: 0 }
  for (let done = 0; done < Number(values.blocks); done += 1) {
    const first = 2 + Math.floor(random() * (head - following - 1))
    const { blocks, requests } = await replayBlocks(url, first, following)
    totals.requests += requests
    for (const { number, transactions, uncles, logs, differences } of blocks) {
      totals.blocks += 1
      totals.transactions += transactions
      totals.uncles += uncles
      totals.logs += logs
      if (differences.length === 0) continue
      totals.different += 1
      console.log(`block ${number}: ${differences.join('; ')}`)
    }
    if (done % 20 === 19) console.log(`${done + 1} forks: ${JSON.stringify(totals)}`)
  }
  console.log(JSON.stringify(totals))
  process.exitCode = totals.different === 0 ? 0 : 1
} finally {
  await node?.stop()
}
