import type { MethodDefinition } from './defineMethod.ts'
import { type JsonText, textOf } from './json.ts'

/**
 * What an answer has to do with the head of the chain (fleet.md §11): it depends on where the head is; it depends on
 * the block that the parameters name, and by a hash that is the same block wherever the head is; it does not depend on
 * it; the method sends transactions, which only a node takes that is in touch with its fleet; or it depends on where the
 * head is and tells each event once, so that an answer that is there has to be given.
 */
export type HeadUse = 'head' | 'block' | 'none' | 'send' | 'poll'

/** Whether the answer to a request depends on where the head is. @param params JSON text, empty when there are none */
export function dependsOnHead(definition: MethodDefinition, params: JsonText): boolean {
  const { head } = definition
  if (head !== 'block') return head === 'head' || head === 'poll'
  return !namesBlockByHash(definition, params)
}

/** Parameters that cannot be read are for the method to say so. */
function namesBlockByHash({ params, name, mostParamBytes }: MethodDefinition, text: JsonText): boolean {
  if (text.length === 0 || text.length > mostParamBytes) return false
  try {
    const values: unknown = JSON.parse(textOf(text))
    if (!Array.isArray(values)) return false
    return params.some((param, i) => i < values.length && param.namesBlock?.(values[i], name) === true)
  } catch {
    return false
  }
}
