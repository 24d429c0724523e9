import { RpcError } from '../rpc/errors.ts'
import { skipValue, sliceElements, sliceMembers } from './sliceJson.ts'

/** One request of a body. */
export interface ParsedRequest {
  /** null when the member is missing or no text: such a method cannot exist. */
  readonly method: string | null
  /** JSON text; null of a notification. */
  readonly id: string | null
  /** JSON text; empty when there are none. */
  readonly params: string
}

/** A body: one request, a batch whose elements may be batches again, or what is no request. */
export type ParsedBody =
  | { readonly kind: 'request'; readonly request: ParsedRequest }
  | { readonly kind: 'batch'; readonly elements: readonly ParsedBody[] }
  | { readonly kind: 'invalid'; readonly id: string; readonly error: RpcError }

/** Structures in each other that are taken, as the reference's reader (facts/rpc.md §1.1). */
const MAX_DEPTH = 1000

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses any body. What follows the first JSON value is ignored (facts/rpc.md §11).
 * @throws RpcError kind `parse` for what is no JSON, `invalidRequest` for JSON that is nested too deep
 */
export function parseBody(bytes: Uint8Array): ParsedBody {
  const text = decode(bytes)
  return classify(text.slice(0, firstValue(text)).trim())
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new RpcError('parse', undefined, { cause: error })
  }
}

/** End of the first JSON value, after checking that it is one. */
function firstValue(text: string): number {
  const end = skipValue(text, 0, MAX_DEPTH)
  if (end === 'tooDeep') throw new RpcError('invalidRequest', 'Invalid request')
  if (end === null) throw new RpcError('parse')
  try {
    JSON.parse(text.slice(0, end))
  } catch (error) {
    throw new RpcError('parse', undefined, { cause: error })
  }
  return end
}

/** What a valid JSON text is as part of a body. */
function classify(text: string): ParsedBody {
  if (text.startsWith('[')) return { kind: 'batch', elements: sliceElements(text).map(classify) }
  if (!text.startsWith('{')) return invalid('null')
  const members = sliceMembers(text)
  const id = members.get('id') ?? 'null'
  if (id.startsWith('{') || id.startsWith('[')) return invalid('null')
  const method: unknown = JSON.parse(members.get('method') ?? 'null')
  return {
    kind: 'request',
    request: {
      method: typeof method === 'string' ? method : null,
      id: id === 'null' ? null : id,
      params: members.get('params') ?? '',
    },
  }
}

function invalid(id: string): ParsedBody {
  return { kind: 'invalid', id, error: new RpcError('invalidRequest') }
}
