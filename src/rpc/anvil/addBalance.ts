import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'

/** Adds to the balance of an account; more than 256 bits are the most that there can be, as with anvil. */
export const addBalance = defineMethod({
  name: 'anvil_addBalance',
  doc: 'Adds to the balance of an account at the head. The chain can then no longer be exported.',
  params: [address(), wideNumber('amount', 256)],
  result: { type: 'null' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands, state, chain }, [account, amount]) => {
    const before = state.at(chain.head()).account(account)?.balance ?? 0n
    const after = before + amount
    await commands.dev.editAccount({ address: account, balance: after > MAX_BALANCE ? MAX_BALANCE : after })
    return null
  },
})

const MAX_BALANCE = 2n ** 256n - 1n
