import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'
import { setTokenCell } from './setTokenCell.ts'

/** allowance(address,address) */
const ALLOWANCE = Buffer.from('dd62ed3e', 'hex')

/** Lets an account spend a token of another one, as anvil does. */
export const setErc20Allowance = defineMethod({
  name: 'anvil_setERC20Allowance',
  doc: 'Sets how much of a token an account may spend for its owner, at the head. The chain can then no longer be exported.',
  params: [address('owner'), address('spender'), address('token'), wideNumber('amount', 256)],
  result: { type: 'null' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: async (context, [owner, spender, token, amount]) => {
    await setTokenCell(context, token, ALLOWANCE, [owner, spender], amount, 'allowance')
    return null
  },
})
