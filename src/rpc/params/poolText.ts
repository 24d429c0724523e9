import { invalidParams } from '../errors.ts'
import { type Param, scalarText } from './param.ts'

/** A string parameter of a mining pool (mining.md §5). A number counts as its JSON text. */
export function poolText(name: string): Param<string> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      if (value === null || typeof value === 'object') throw invalidParams(`Invalid ${name}: text expected`)
      return scalarText(value)
    },
  }
}
