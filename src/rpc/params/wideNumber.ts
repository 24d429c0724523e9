import { invalidParams } from '../errors.ts'
import { parseUnsigned } from './number.ts'
import { type Param, scalarText } from './param.ts'

/** A whole number from zero up that fits in some bits: hex, decimal text or a JSON number. */
export function wideNumber(name: string, bits: number): Param<bigint> {
  return {
    name,
    schema: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      const parsed = parseUnsigned(scalarText(value))
      if (parsed >= 1n << BigInt(bits)) throw invalidParams(`Invalid ${name}: at most ${bits} bits expected`)
      return parsed
    },
  }
}
