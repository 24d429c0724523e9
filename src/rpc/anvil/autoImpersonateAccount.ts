import { defineMethod } from '../defineMethod.ts'
import { flag } from '../params/number.ts'

/** Lets eth_sendTransaction send from every account without a signature, or no longer. */
export const autoImpersonateAccount = defineMethod({
  name: 'anvil_autoImpersonateAccount',
  aliases: ['hardhat_autoImpersonateAccount'],
  doc: 'Lets eth_sendTransaction send from every account without a signature, or no longer.',
  params: [flag('on')],
  result: { type: 'null' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: ({ impersonated }, [on]) => {
    impersonated.setAll(on)
    return null
  },
})
