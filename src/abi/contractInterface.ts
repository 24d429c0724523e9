import { keccak256 } from '../native/crypto.ts'
import { type AbiParameter, readParameters, signatureTypes } from './abiType.ts'
import { decodeArguments } from './decode.ts'
import { argumentsText } from './valueText.ts'

const SELECTOR_BYTES = 4

/** A function or an error of a contract. */
export interface AbiEntry {
  readonly name: string
  readonly parameters: readonly AbiParameter[]
}

/** The entries of a JSON ABI about calls, by the 8 hex digits of their selectors. */
export interface ContractInterface {
  readonly functions: ReadonlyMap<string, AbiEntry>
  readonly errors: ReadonlyMap<string, AbiEntry>
  readonly constructorParameters: readonly AbiParameter[]
  /** True when calls without data reach `receive`, and those with an unknown selector `fallback`. */
  readonly hasReceive: boolean
  readonly hasFallback: boolean
}

/** Reads a JSON ABI. Entries that are none are left out. */
export function readInterface(abi: readonly unknown[]): ContractInterface {
  const functions = new Map<string, AbiEntry>()
  const errors = new Map<string, AbiEntry>()
  let constructorParameters: readonly AbiParameter[] = []
  let hasReceive = false
  let hasFallback = false
  for (const element of abi) {
    if (typeof element !== 'object' || element === null) continue
    const { type = 'function', name, inputs = [] } = element as Record<string, unknown>
    if (type === 'constructor') constructorParameters = readParameters(inputs) ?? []
    hasReceive ||= type === 'receive'
    hasFallback ||= type === 'fallback'
    const target = type === 'function' ? functions : type === 'error' ? errors : null
    const parameters = readParameters(inputs)
    if (target === null || typeof name !== 'string' || parameters === null) continue
    target.set(selectorOf(`${name}${signatureTypes(inputs)}`), { name, parameters })
  }
  return { functions, errors, constructorParameters, hasReceive, hasFallback }
}

/** The 8 hex digits by which calls name a signature such as `log(string,uint256)`. */
export function selectorOf(signature: string): string {
  return keccak256(Buffer.from(signature)).toString('hex', 0, SELECTOR_BYTES)
}

/** The selector that data begins with, 8 hex digits; null where there are not so many bytes. */
export function selectorIn(data: Buffer): string | null {
  return data.length < SELECTOR_BYTES ? null : data.toString('hex', 0, SELECTOR_BYTES)
}

/** Data behind a selector. */
export function argumentsIn(data: Buffer): Buffer {
  return data.subarray(SELECTOR_BYTES)
}

/** A call or an error as source text: `transfer(0x…, 5)`; the bare name for data that is no encoding of the arguments. */
export function entryText({ name, parameters }: AbiEntry, data: Buffer): string {
  const values = decodeArguments(parameters, argumentsIn(data))
  return values === null ? `${name}(…)` : `${name}(${argumentsText(parameters, values)})`
}
