/** A type of the contract ABI. */
export type AbiType =
  | { readonly kind: 'uint' | 'int' }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  /** Bytes of a fixed number, left-aligned in their word; `function` is one of 24. */
  | { readonly kind: 'fixedBytes'; readonly size: number }
  /** @see length null for an array of any length */
  | { readonly kind: 'array'; readonly of: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly members: readonly AbiParameter[] }

/** A parameter of a function, an error or a tuple. */
export interface AbiParameter {
  /** Empty where it has none. */
  readonly name: string
  readonly type: AbiType
}

const NUMBER = /^(u?int)(\d*)$/
const FIXED_BYTES = /^bytes(\d+)$/
const ARRAY = /^(.+)\[(\d*)\]$/
const FUNCTION_BYTES = 24
const WORD = 32
/** Levels of arrays and tuples; compilers write a few. */
const MAX_LEVELS = 32

/**
 * Reads the parameters of an entry of a JSON ABI, which may be anything.
 * @returns null for what is no list of parameters
 */
export function readParameters(inputs: unknown, level = 0): readonly AbiParameter[] | null {
  if (!Array.isArray(inputs) || level > MAX_LEVELS) return null
  const parameters = inputs.map((input) => readParameter(input, level))
  return parameters.includes(null) ? null : (parameters as AbiParameter[])
}

function readParameter(input: unknown, level: number): AbiParameter | null {
  if (typeof input !== 'object' || input === null) return null
  const { name, type, components } = input as { name?: unknown; type?: unknown; components?: unknown }
  if (typeof type !== 'string') return null
  const read = readType(type, components, level)
  return read && { name: typeof name === 'string' ? name : '', type: read }
}

/**
 * The type with a name such as `uint256[2]`.
 * @param components members of the tuple, where it is one
 * @returns null for an unknown one
 */
export function readType(text: string, components: unknown = [], level = 0): AbiType | null {
  if (level > MAX_LEVELS) return null
  const [, element, length] = ARRAY.exec(text) ?? []
  if (element !== undefined) {
    const of = readType(element, components, level + 1)
    return of && { kind: 'array', of, length: length ? Number(length) : null }
  }
  if (text === 'tuple') {
    const members = readParameters(components, level + 1)
    return members && { kind: 'tuple', members }
  }
  if (text === 'address' || text === 'bool' || text === 'bytes' || text === 'string') return { kind: text }
  if (text === 'function') return { kind: 'fixedBytes', size: FUNCTION_BYTES }
  const [, number, bits] = NUMBER.exec(text) ?? []
  if (number !== undefined && isWidth(bits)) return { kind: number as 'uint' | 'int' }
  const [, size] = FIXED_BYTES.exec(text) ?? []
  return size !== undefined && Number(size) > 0 && Number(size) <= WORD
    ? { kind: 'fixedBytes', size: Number(size) }
    : null
}

function isWidth(bits: string | undefined): boolean {
  const width = bits ? Number(bits) : 256
  return width > 0 && width <= 256 && width % 8 === 0
}

/**
 * The types of an entry of a JSON ABI as they are in its signature: `(uint256,(address,bool)[])`.
 * @returns null for what is no list of parameters
 */
export function signatureTypes(inputs: unknown, level = 0): string | null {
  if (!Array.isArray(inputs) || level > MAX_LEVELS) return null
  const names = inputs.map((input: unknown) => {
    const { type, components } = (input ?? {}) as { type?: unknown; components?: unknown }
    if (typeof type !== 'string') return null
    if (!type.startsWith('tuple')) return type
    const members = signatureTypes(components, level + 1)
    return members && `${members}${type.slice('tuple'.length)}`
  })
  return names.includes(null) ? null : `(${names.join(',')})`
}
