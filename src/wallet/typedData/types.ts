import { WalletError } from '../errors.ts'

/** A member of a struct type. */
export interface TypedDataField {
  readonly name: string
  readonly type: string
}

/** Struct types by name. */
export type TypedDataTypes = ReadonlyMap<string, readonly TypedDataField[]>

/** A message with its types (EIP-712); its shape is validated, its values are not. */
export interface TypedData {
  readonly types: TypedDataTypes
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: Readonly<Record<string, unknown>>
}

/** Name of the domain's own type. */
export const DOMAIN_TYPE = 'EIP712Domain'

/** Members that a domain may have, in the order of EIP-712. */
const DOMAIN_FIELDS: readonly TypedDataField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/**
 * Most types; real messages have a handful, and the cost of hashing a type grows with all types it refers to.
 */
const MAX_TYPES = 128
const MAX_FIELDS = 256

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/**
 * Parses typed data of eth_signTypedData_v4: an object, or its JSON text. A domain without a type has those
 * members of EIP-712 that are present.
 * @throws WalletError `TYPED_DATA`
 */
export function parseTypedData(value: unknown): TypedData {
  const data = object(typeof value === 'string' ? parseJson(value) : value, 'typed data')
  const domain = object(data['domain'], 'domain')
  const types = parseTypes(object(data['types'], 'types'))
  if (!types.has(DOMAIN_TYPE)) {
    types.set(
      DOMAIN_TYPE,
      DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined && domain[name] !== null),
    )
  }
  const { primaryType } = data
  if (typeof primaryType !== 'string' || !types.has(primaryType)) {
    throw malformed('primaryType must name one of the types')
  }
  const message = primaryType === DOMAIN_TYPE ? {} : object(data['message'], 'message')
  return { types, primaryType, domain, message }
}

function parseTypes(types: Record<string, unknown>): Map<string, readonly TypedDataField[]> {
  const parsed = new Map<string, readonly TypedDataField[]>()
  if (Object.keys(types).length > MAX_TYPES) throw malformed(`more than ${MAX_TYPES} types`)
  for (const [name, fields] of Object.entries(types)) {
    if (!IDENTIFIER.test(name)) throw malformed(`types: ${shown(name)} is no name of a struct`)
    if (!Array.isArray(fields)) throw malformed(`types.${name} must be an array`)
    if (fields.length > MAX_FIELDS) throw malformed(`types.${name}: more than ${MAX_FIELDS} members`)
    parsed.set(
      name,
      fields.map((field) => parseField(field, name)),
    )
  }
  return parsed
}

function parseField(field: unknown, struct: string): TypedDataField {
  const { name, type } = object(field, `types.${struct}: each member`)
  if (typeof name !== 'string' || typeof type !== 'string') {
    throw malformed(`types.${struct}: each member has a name and a type`)
  }
  return { name, type }
}

/** An error for invalid typed data. */
export function malformed(what: string): WalletError {
  return new WalletError('TYPED_DATA', `Invalid typed data: ${what}`)
}

/** A value in the form of error messages. */
export function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing'
}

/** @throws WalletError `TYPED_DATA` when the value is no object */
export function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw malformed(`${name} must be an object`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WalletError('TYPED_DATA', 'Invalid typed data: the text is no JSON', { cause: error })
  }
}
