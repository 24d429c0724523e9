import { keccak256 } from '../../native/crypto.ts'
import { malformed, shown, type TypedDataTypes } from './types.ts'

const ARRAY_SUFFIX = /(\[[0-9]*\])+$/

/** Encodings and hashes of struct types (EIP-712 `encodeType`, `typeHash`), each computed once. */
export class TypeHashes {
  readonly #types: TypedDataTypes
  readonly #hashes = new Map<string, Buffer>()

  constructor(types: TypedDataTypes) {
    this.#types = types
  }

  /** Keccak-256 of the encoded type. */
  hashOf(struct: string): Buffer {
    const known = this.#hashes.get(struct)
    if (known !== undefined) return known
    const hash = keccak256(Buffer.from(encodeType(struct, this.#types), 'utf8'))
    this.#hashes.set(struct, hash)
    return hash
  }
}

/** The struct's members, then the structs that it refers to, sorted by name. */
export function encodeType(struct: string, types: TypedDataTypes): string {
  const needed = new Set<string>([struct])
  for (const name of needed) {
    for (const { type } of types.get(name) ?? []) {
      const element = type.replace(ARRAY_SUFFIX, '')
      if (types.has(element)) needed.add(element)
    }
  }
  needed.delete(struct)
  return [struct, ...[...needed].sort()].map((name) => encodeOne(name, types)).join('')
}

function encodeOne(struct: string, types: TypedDataTypes): string {
  const fields = types.get(struct)
  if (fields === undefined) throw malformed(`there is no type ${shown(struct)}`)
  return `${struct}(${fields.map(({ name, type }) => `${type} ${name}`).join(',')})`
}
