import { invalidParams } from '../errors.ts'
import { parseUnsigned } from './number.ts'
import { type Param, scalarText } from './param.ts'

/** A whole number from zero up: hex, decimal text or a JSON number. */
export function boundedNumber(name: string, most: number): Param<number> {
  return {
    name,
    schema: { oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0, maximum: most }] },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      const parsed = parseUnsigned(scalarText(value))
      if (parsed > BigInt(most)) throw invalidParams(`Invalid ${name} ${parsed}: at most ${most} expected`)
      return Number(parsed)
    },
  }
}
