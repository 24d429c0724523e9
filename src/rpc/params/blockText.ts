import { invalidParams, type RpcError } from '../errors.ts'
import { BLOCK_TAGS, type BlockSelector, namesOf } from './blockSelector.ts'
import { parseHash } from './hex.ts'
import { namingBlocks, type Param, scalarText } from './param.ts'

const HEX = /^0x[0-9a-fA-F]+$/
const SHOWN_CHARACTERS = 66

/** A block that requests name by a string alone: a tag, a 0x number or a hash. `parse` distinguishes them. */
export function blockText(name: string, parse: (text: string) => BlockSelector): Param<BlockSelector> {
  const param: Param<BlockSelector> = {
    name,
    schema: {
      oneOf: [
        { type: 'string', enum: [...BLOCK_TAGS] },
        { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
      ],
    },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parse(scalarText(value))
    },
  }
  return namingBlocks(param, namesOf)
}

/** @throws RpcError `invalid blocknumber <v>` for anything but 0x and digits */
export function numberSelector(text: string): BlockSelector {
  if (!HEX.test(text)) throw invalidBlockNumber(text)
  return { kind: 'number', number: BigInt(text), text }
}

/** @throws RpcError as `parseHash` */
export function hashSelector(text: string): BlockSelector {
  return { kind: 'hash', hash: parseHash(text, 'block hash'), text, requireCanonical: false, inMap: false }
}

export function invalidBlockNumber(text: string): RpcError {
  return invalidParams(`invalid blocknumber ${text.slice(0, SHOWN_CHARACTERS)}`)
}
