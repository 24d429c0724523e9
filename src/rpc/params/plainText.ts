import { type Param, scalarText } from './param.ts'

/** Any string; another scalar counts as its JSON text, null as `null`. */
export function plainText(name: string): Param<string> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => scalarText(value),
  }
}
