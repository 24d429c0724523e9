import { invalidParams } from '../errors.ts'
import { parseData } from './hex.ts'
import { type Param, scalarText } from './param.ts'

/**
 * DATA of one length. It is parsed lazily, because the reference first answers whether the method exists at all (recorded: `eth_submitWork` of short texts).
 */
export function fixedData(name: string, length: number): Param<() => Buffer> {
  return {
    name,
    schema: { type: 'string', pattern: `^0x[0-9a-fA-F]{${length * 2}}$` },
    optional: false,
    parse: (value) => () => {
      if (value === null) throw invalidParams(`${name} is null`)
      const bytes = parseData(scalarText(value))
      if (bytes.length === length) return bytes
      throw invalidParams(`Invalid ${name}: ${length} bytes expected, ${bytes.length} found`)
    },
  }
}
