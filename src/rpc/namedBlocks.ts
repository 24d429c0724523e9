import type { MethodDefinition } from './defineMethod.ts'
import { type JsonText, textOf } from './json.ts'
import type { BlockName } from './params/param.ts'

/** Longest parameters that are looked at, bytes: those that name a block and little else. */
const MAX_BYTES = 65_536

/**
 * Blocks that the parameters of a request name by number or hash. Parameters that cannot be read are for the method.
 */
export function namedBlocks(
  { params, name, maxParamBytes }: MethodDefinition,
  text: JsonText,
): readonly BlockName[] {
  if (text.length === 0 || text.length > Math.min(MAX_BYTES, maxParamBytes)) return []
  if (!params.some(({ blocksOf }) => blocksOf !== undefined)) return []
  try {
    const values: unknown = JSON.parse(textOf(text))
    if (!Array.isArray(values)) return []
    return params.flatMap((param, i) => (i < values.length ? (param.blocksOf?.(values[i], name) ?? []) : []))
  } catch {
    return []
  }
}
