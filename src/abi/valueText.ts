import { toHex } from '../util/bytes.ts'
import type { AbiParameter, AbiType } from './abiType.ts'
import type { DecodedValue } from './decode.ts'

/** Characters of the arguments of one call that are shown. */
const MAX_CHARACTERS = 500

/** Arguments as they stand in source text: `5, "text", 0x12, [1, 2], (owner: 0x…)`. */
export function argumentsText(
  parameters: readonly AbiParameter[],
  values: readonly DecodedValue[],
  most: number = MAX_CHARACTERS,
): string {
  const text = parameters.map(({ type }, index) => valueText(type, values[index] as DecodedValue)).join(', ')
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

/** A value as it stands in source text. */
function valueText(type: AbiType, value: DecodedValue): string {
  switch (type.kind) {
    case 'string':
      return JSON.stringify(value)
    case 'array':
      return `[${(value as readonly DecodedValue[]).map((element) => valueText(type.of, element)).join(', ')}]`
    case 'tuple': {
      const values = value as readonly DecodedValue[]
      const members = type.members.map(({ name, type: of }, index) => {
        const text = valueText(of, values[index] as DecodedValue)
        return name === '' ? text : `${name}: ${text}`
      })
      return `(${members.join(', ')})`
    }
    default:
      return plainText(value)
  }
}

/**
 * A value as `console.log` prints it: a text without quotes. Addresses are in lower case, which every tool takes: the
 * spellings of EIP-55 and of Rootstock (EIP-1191) each have readers that refuse them.
 */
export function plainText(value: DecodedValue): string {
  return Buffer.isBuffer(value) ? toHex(value) : String(value)
}
