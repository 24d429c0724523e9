import { RpcError } from '../errors.ts'
import { type Param, scalarText } from './param.ts'

/**
 * A string parameter of a mining pool. A number counts as its JSON text; null is an internal error,
 * as everything else that does not parse in these methods (recorded; mining.md §5).
 */
export function poolText(name: string): Param<string> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      if (value === null || typeof value === 'object') throw new RpcError('internal')
      return scalarText(value)
    },
  }
}
