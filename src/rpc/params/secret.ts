import { invalidParams } from '../errors.ts'
import { lenientHex } from './hex.ts'
import { type Param, scalarText } from './param.ts'

/** A seed or passphrase: any text, also the empty one. `label` begins the error for null. */
export function secretText(name: string, label: string): Param<string> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${label} is null`)
      if (typeof value === 'object') throw invalidParams(`Invalid ${name}: text expected.`)
      return scalarText(value)
    },
  }
}

/** Bytes of a private key: hex of any case, `0x` optional (rpc.md §2). Its range is judged elsewhere. */
export function privateKey(name = 'key'): Param<Buffer> {
  return {
    name,
    schema: { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams('Key cannot be null.')
      const text = scalarText(value)
      const bytes = lenientHex(text)
      if (bytes === null) throw invalidParams(`Invalid param ${text}: value must be a valid hex.`)
      if (text.length % 2 !== 0)
        throw invalidParams(`Invalid ${name}: an even number of hex digits expected.`)
      return bytes
    },
  }
}
