import { MIN_BLOCK_GAS_LIMIT } from '../../chain/consensus.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { boundedNumber } from '../params/boundedNumber.ts'

/** The highest that the option for it takes. */
const MAX_GAS_LIMIT = 1_000_000_000

/** Sets the gas limit that blocks move towards, each by a part in 1024 at most. */
export const setBlockGasLimit = defineMethod({
  name: 'evm_setBlockGasLimit',
  aliases: ['hardhat_setBlockGasLimit', 'anvil_setBlockGasLimit'],
  doc: 'Sets the gas limit that blocks move towards, each by a part in 1024 at most.',
  params: [boundedNumber('gasLimit', MAX_GAS_LIMIT)],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [gas]) => {
    const gasLimit = BigInt(gas)
    if (gasLimit < MIN_BLOCK_GAS_LIMIT) {
      throw invalidParams(`Invalid gasLimit ${gas}: at least ${MIN_BLOCK_GAS_LIMIT} expected`)
    }
    await commands.dev.adjustBlocks({ gasLimit })
    return true
  },
})
