import { invalidParams } from '../errors.ts'
import { type BlockSelector, type BlockTag, isBlockTag } from './blockSelector.ts'
import { parseHash } from './hex.ts'
import { type Param, scalarText } from './param.ts'

const TAGS: readonly BlockTag[] = ['latest', 'earliest', 'pending', 'safe', 'finalized']
const HEX = /^0x[0-9a-fA-F]+$/
const HASH_CHARACTERS = 66

/** Block of the raw header: a tag, a 0x number or a hash, with one error for anything else (rpc.md §2). */
export function plainBlock(name = 'block'): Param<BlockSelector> {
  return {
    name,
    schema: {
      oneOf: [
        { type: 'string', enum: [...TAGS] },
        { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
      ],
    },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parsePlainBlock(scalarText(value))
    },
  }
}

/** @throws RpcError `invalid blocknumber <v>` */
function parsePlainBlock(text: string): BlockSelector {
  if (isBlockTag(text)) return { kind: 'tag', tag: text }
  if (!HEX.test(text) || text.length > HASH_CHARACTERS) {
    throw invalidParams(`invalid blocknumber ${text.slice(0, HASH_CHARACTERS)}`)
  }
  if (text.length < HASH_CHARACTERS) return { kind: 'number', number: BigInt(text), text }
  return { kind: 'hash', hash: parseHash(text, 'block hash'), text, requireCanonical: false, inMap: false }
}
