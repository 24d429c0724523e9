import { keccak256 } from '../../native/crypto.ts'
import { encodeAtomic } from './encodeAtomic.ts'
import { TypeHashes } from './encodeType.ts'
import { DOMAIN_TYPE, malformed, object, type TypedData, type TypedDataTypes } from './types.ts'

const ARRAY = /^(.*)\[([0-9]*)\]$/
const PREFIX = Buffer.from([0x19, 0x01])
const EMPTY_WORD = Buffer.alloc(32)

/** Deepest nesting of structs; deeper data is refused before the stack overflows. */
const MAX_DEPTH = 64

/** Most values of one message: the front thread hashes this many in about 50 ms. Real messages have tens. */
const MAX_VALUES = 20_000

/**
 * The hash that is signed: of `19 01`, the domain and, unless the domain alone is meant, the message
 * (EIP-712). This is version 4 of the method: arrays and nested structs are hashed, an absent struct is a
 * zero word. alloy-dyn-abi (1.7) refuses both recursive structs and absent ones, which wallets sign, and its errors name
 * no member, so this is done here.
 * @throws WalletError `TYPED_DATA` that names the member
 */
export function hashTypedData({ types, primaryType, domain, message }: TypedData): Buffer {
  const encoder = new Encoder(types)
  const parts = [PREFIX, encoder.hashStruct(DOMAIN_TYPE, domain, 'domain', 0)]
  if (primaryType !== DOMAIN_TYPE) parts.push(encoder.hashStruct(primaryType, message, 'message', 0))
  return keccak256(Buffer.concat(parts))
}

class Encoder {
  readonly #types: TypedDataTypes
  readonly #hashes: TypeHashes
  #values = 0

  constructor(types: TypedDataTypes) {
    this.#types = types
    this.#hashes = new TypeHashes(types)
  }

  hashStruct(struct: string, value: unknown, path: string, depth: number): Buffer {
    if (depth > MAX_DEPTH) throw malformed(`${path}: nested deeper than ${MAX_DEPTH}`)
    const fields = object(value, path)
    const words = [this.#hashes.hashOf(struct)]
    for (const { name, type } of this.#types.get(struct) ?? []) {
      // A member named like a property of every object must be its own.
      const member = Object.hasOwn(fields, name) ? fields[name] : undefined
      words.push(this.#encode(type, member, `${path}.${name}`, depth + 1))
    }
    return keccak256(Buffer.concat(words))
  }

  #encode(type: string, value: unknown, path: string, depth: number): Buffer {
    this.#values += 1
    if (this.#values > MAX_VALUES) throw malformed(`more than ${MAX_VALUES} values`)
    if (depth > MAX_DEPTH) throw malformed(`${path}: nested deeper than ${MAX_DEPTH}`)
    const array = ARRAY.exec(type)
    if (array !== null) return this.#encodeArray(array[1] ?? '', array[2] ?? '', value, path, depth)
    if (!this.#types.has(type)) return encodeAtomic(type, value, path)
    return value === undefined || value === null ? EMPTY_WORD : this.hashStruct(type, value, path, depth)
  }

  #encodeArray(element: string, length: string, value: unknown, path: string, depth: number): Buffer {
    if (!Array.isArray(value)) throw malformed(`${path} must be an array`)
    if (length !== '' && value.length !== Number(length)) {
      throw malformed(`${path}: array of ${length} expected, got ${value.length}`)
    }
    const words = value.map((item, index) => this.#encode(element, item, `${path}[${index}]`, depth + 1))
    return keccak256(Buffer.concat(words))
  }
}
