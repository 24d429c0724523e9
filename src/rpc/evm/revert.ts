import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { type Param, scalarText } from '../params/param.ts'

const ID = /^0x[0-9a-fA-F]{1,64}$/
const SHOWN_CHARACTERS = 66

/** Goes back to a snapshot; false when there is none of that id (rpc.md §3.8). */
export const revert = defineMethod({
  name: 'evm_revert',
  aliases: ['anvil_revert'],
  doc: 'Goes back to a snapshot, which stays; later ones and the pool are gone.',
  params: [snapshotId()],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: ({ commands }, [id]) => commands.dev.revert(id),
})

function snapshotId(): Param<bigint> {
  return {
    name: 'id',
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
    optional: false,
    parse: (value) => {
      const text = scalarText(value)
      if (!ID.test(text)) throw invalidParams(`invalid snapshot id ${text.slice(0, SHOWN_CHARACTERS)}`)
      return BigInt(text)
    },
  }
}
