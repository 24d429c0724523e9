import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { type Param, scalarText } from '../params/param.ts'

const SECONDS = /^(0x[0-9a-fA-F]{1,13}|[0-9]{1,15})$/
const SHOWN_CHARACTERS = 66

/** Moves the time of the next block forward; answers with what was added since the last one. */
export const increaseTime = defineMethod({
  name: 'evm_increaseTime',
  aliases: ['anvil_increaseTime'],
  doc: 'Moves the time of the next block forward by some seconds.',
  params: [seconds()],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'chain',
  cost: 1,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [added]) => quantity(await commands.dev.increaseTime(added)),
})

/** Seconds in hex or decimal; 0 changes nothing (rpc.md §3.8). Time never goes back. */
function seconds(): Param<number> {
  return {
    name: 'seconds',
    schema: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    optional: false,
    parse: (value) => {
      const text = scalarText(value)
      if (!SECONDS.test(text)) {
        throw invalidParams(`invalid number of seconds ${text.slice(0, SHOWN_CHARACTERS)}`)
      }
      return Number(text)
    },
  }
}
