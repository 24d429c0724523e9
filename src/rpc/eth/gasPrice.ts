import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { suggestGasPrice } from '../sending/gasPrice.ts'

/** Price in wei that gets a transaction mined soon. */
export const gasPrice = defineMethod({
  name: 'eth_gasPrice',
  doc: 'Price in wei that gets a transaction mined soon.',
  params: [],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => quantity(suggestGasPrice(context)),
})
