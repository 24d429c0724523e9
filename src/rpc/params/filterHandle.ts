import { toHex } from '../../util/bytes.ts'
import { parseData } from './hex.ts'
import { type Param, scalarText } from './param.ts'

/** Handle of a filter: DATA of any length and case (rpc.md §5). Null is no filter's. */
export function filterHandle(): Param<string> {
  return {
    name: 'filter',
    schema: { type: 'string', pattern: '^0x[0-9a-f]+$' },
    optional: false,
    parse: (value) => toHex(parseData(value === null ? '' : scalarText(value))),
  }
}
