import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'
import { setTokenCell } from './setTokenCell.ts'

/** balanceOf(address) */
const BALANCE_OF = Buffer.from('70a08231', 'hex')

/** Gives an account a balance of a token, as anvil does: the cell that the balance reads is found by trying. */
export const dealErc20 = defineMethod({
  name: 'anvil_dealERC20',
  aliases: ['hardhat_dealERC20', 'anvil_setERC20Balance'],
  doc: 'Sets the balance of an account in a token at the head. The chain can then no longer be exported.',
  params: [address(), address('token'), wideNumber('amount', 256)],
  result: { type: 'null' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: async (context, [account, token, amount]) => {
    await setTokenCell(context, token, BALANCE_OF, [account], amount, 'balance')
    return null
  },
})
