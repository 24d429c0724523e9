import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { suggestGasPrice } from '../sending/gasPrice.ts'

/** Anvil's description of itself. There is no base fee. */
export const nodeInfo = defineMethod({
  name: 'anvil_nodeInfo',
  aliases: ['hardhat_nodeInfo'],
  doc: 'Head, gas limit, gas price and chain id as anvil tells them.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: (context) => {
    const { chain, node } = context
    const head = chain.head()
    return {
      currentBlockNumber: quantity(head.number),
      currentBlockTimestamp: head.timestamp,
      currentBlockHash: toHex(head.hash),
      hardFork: 'RSK',
      transactionOrder: 'fees',
      environment: {
        baseFee: '0x0',
        chainId: node.chainId,
        gasLimit: quantity(head.gasLimit),
        gasPrice: quantity(suggestGasPrice(context)),
      },
      // Addresses hold keys.
      forkConfig: {
        forkUrl: null,
        forkBlockNumber: context.belowFork?.base.number ?? null,
        forkRetryBackoff: null,
      },
    }
  },
})
