import { invalidParams } from '../errors.ts'
import type { BlockSelector, BlockTag } from './blockSelector.ts'
import { parseHash } from './hex.ts'
import { type Param, scalarText } from './param.ts'

const HEX = /^0x[0-9a-fA-F]+$/
const TAGS: ReadonlySet<string> = new Set<BlockTag>(['latest', 'earliest', 'pending', 'safe', 'finalized'])
/** From here on a text is a hash. */
const SHORTEST_HASH_TEXT = 20
const SHOWN_CHARACTERS = 66

/**
 * Block of the trace methods: a tag of any case, a 0x number of fewer than 20 characters, or a hash
 * (rpc.md §3.14).
 */
export function tracedBlock(name = 'block'): Param<BlockSelector> {
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
      return parseTracedBlock(scalarText(value))
    },
  }
}

/** @throws RpcError `invalid blocknumber <v>` */
export function parseTracedBlock(text: string): BlockSelector {
  if (text.length >= SHORTEST_HASH_TEXT) {
    const hash = parseHash(text, 'block hash')
    return { kind: 'hash', hash, text, requireCanonical: false, inMap: false }
  }
  const tag = text.toLowerCase()
  if (isTag(tag)) return { kind: 'tag', tag }
  if (!HEX.test(text)) throw invalidParams(`invalid blocknumber ${text.slice(0, SHOWN_CHARACTERS)}`)
  return { kind: 'number', number: BigInt(text), text }
}

function isTag(text: string): text is BlockTag {
  return TAGS.has(text)
}
