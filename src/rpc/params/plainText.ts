import { type Param, scalarText } from './param.ts'

/** Any text; another scalar is taken as the text that it is written as, null as `null`. */
export function plainText(name: string): Param<string> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => scalarText(value),
  }
}
