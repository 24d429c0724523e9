import { readFileSync } from 'node:fs'
import { createConfig } from 'ponder'
import type { Abi, Address } from 'viem'

const url = process.env.NODE_URL
const artefact = JSON.parse(readFileSync('../../contracts/Token.json', 'utf8')) as { abi: Abi }
const address = process.env.TOKEN as Address
const ws = process.env.WITH_WEBSOCKET === 'yes' ? { ws: url?.replace('http', 'ws') } : {}

// biome-ignore lint/style/noDefaultExport: the indexer takes it
export default createConfig({
  database: { kind: 'pglite', directory: process.env.STORE },
  chains: { regtest: { id: 33, rpc: url, pollingInterval: 200, ...ws } },
  contracts: {
    Token: {
      chain: 'regtest',
      abi: artefact.abi,
      address,
      startBlock: 1,
      includeTransactionReceipts: true,
      includeCallTraces: true,
    },
  },
  accounts: {
    Payee: { chain: 'regtest', address: process.env.PAYEE as Address, startBlock: 1 },
  },
  blocks: { Every: { chain: 'regtest', startBlock: 1, interval: 10 } },
})
