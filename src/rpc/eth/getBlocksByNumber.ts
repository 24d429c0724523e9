import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { type Param, scalarText } from '../params/param.ts'
import { assertKept } from '../select/history.ts'

const NUMBER = /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,66})$/
const SHOWN_CHARACTERS = 66

/** Every connected block of a height, side blocks included (rpc.md §3.2). */
export const getBlocksByNumber = defineMethod({
  name: 'eth_getBlocksByNumber',
  doc: 'Hashes of all blocks of a height, those beside the canonical chain included.',
  params: [height()],
  result: { type: 'array' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: ({ chain }, [number]) => {
    if (number > Number.MAX_SAFE_INTEGER) return []
    assertKept(chain, Number(number))
    return chain.blocksAt(Number(number)).map(({ hash, canonical }) => ({
      hash: toHex(hash),
      totalDifficulty: quantity(chain.totalDifficulty(hash) ?? 0n),
      inMainChain: canonical,
    }))
  },
})

/** A height in hex or decimal; no tags. */
function height(): Param<bigint> {
  return {
    name: 'number',
    schema: { type: 'string', pattern: '^(0x[0-9a-fA-F]{1,64}|[0-9]{1,66})$' },
    optional: false,
    parse: (value) => {
      const text = scalarText(value)
      if (!NUMBER.test(text)) throw invalidParams(`invalid blocknumber ${text.slice(0, SHOWN_CHARACTERS)}`)
      return BigInt(text)
    },
  }
}
