import { keccak256 } from '../../native/crypto.ts'
import { EMPTY_BYTES } from '../../util/bytes.ts'
import { CodecError } from './errors.ts'
import { itemAt, parseRLPList } from './rlpReader.ts'
import { encodeByte, encodeBytes, encodeEdges, encodeList, parseEdges } from './rlpWriter.ts'

/** The part of a header that its compressed form leaves out (RSKIP351, RSKIP535; consensus.md §2.3). */
export interface HeaderExtension {
  readonly version: 1 | 2
  readonly logsBloom: Buffer
  readonly edges: readonly number[] | null
  /** Of version 2 only. */
  readonly baseEvent: Buffer | null
}

/** `[bloom, base event (version 2), edges]`. */
export function encodeExtension(extension: HeaderExtension): Buffer {
  return encodeFields(extension, extension.logsBloom)
}

/** Hash named by the compressed header: of the same list with the bloom's hash in its place. */
export function hashExtension(extension: HeaderExtension): Buffer {
  return keccak256(encodeFields(extension, keccak256(extension.logsBloom)))
}

/** `[version, extension hash]`: element 6 of a compressed header. */
export function encodeExtensionData(extension: HeaderExtension): Buffer {
  return encodeList([encodeByte(extension.version), encodeBytes(hashExtension(extension))])
}

/** `[version, encoded extension]`: the form in peer messages. */
export function encodeExtensionMessage(extension: HeaderExtension): Buffer {
  return encodeList([encodeByte(extension.version), encodeBytes(encodeExtension(extension))])
}

/** @throws RlpError, CodecError for an unknown version or a wrong number of elements */
export function parseExtensionMessage(message: Uint8Array): HeaderExtension {
  const items = parseRLPList(message)
  if (items.length !== 2) throw new CodecError('HEADER_EXTENSION', 'two elements', String(items.length))
  return parseExtension(itemAt(items, 0).bytes[0] ?? 0, itemAt(items, 1).bytes)
}

/**
 * Extension of its version and of what {@link encodeExtension} gives.
 * @throws RlpError, CodecError for an unknown version or elements that are missing
 */
export function parseExtension(version: number, encoded: Uint8Array): HeaderExtension {
  if (version !== 1 && version !== 2)
    throw new CodecError('HEADER_EXTENSION', 'version 1 or 2', String(version))
  const fields = parseRLPList(encoded)
  const edgesIndex = version
  return {
    version,
    logsBloom: itemAt(fields, 0).bytes,
    edges: fields.length === edgesIndex + 1 ? parseEdges(itemAt(fields, edgesIndex).bytes) : null,
    baseEvent: version === 2 ? itemAt(fields, 1).bytes : null,
  }
}

function encodeFields(extension: HeaderExtension, bloom: Buffer): Buffer {
  const elements = [encodeBytes(bloom)]
  if (extension.version === 2) elements.push(encodeBytes(extension.baseEvent ?? EMPTY_BYTES))
  if (extension.edges !== null) elements.push(encodeEdges(extension.edges))
  return encodeList(elements)
}
