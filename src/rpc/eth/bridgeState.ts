import { defineMethod } from '../defineMethod.ts'

/** State of the Bridge at the head (rpc.md §3.2). */
export const bridgeState = defineMethod({
  name: 'eth_bridgeState',
  doc: 'What the Bridge knows of Bitcoin, and the peg-outs that wait for signatures.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 5,
  cache: 'none',
  handler: ({ chain, execution }) => {
    const { bitcoinHeight, waitingForSignatures } = execution.bridge(chain.head())
    return {
      btcBlockchainBestChainHeight: bitcoinHeight,
      rskTxsWaitingForSignatures: waitingForSignatures.map((hash) => hash.toString('hex')),
    }
  },
})
