/** ABIs as the page reads and keeps them. */

/** A parameter as it stands in an ABI. */
export interface AbiParam {
  readonly name: string
  readonly type: string
  readonly components?: readonly AbiParam[]
}

/** A type of the contract ABI; sizes are bytes, null for any. */
export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'string' }
  | { readonly kind: 'bytes'; readonly size: number | null }
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly items: readonly AbiField[] }

/** A parameter with its type. */
export interface AbiField {
  readonly name: string
  readonly type: AbiType
}

/** A value of a type: whole numbers, truth, text or 0x-hex, and lists of them. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[]

/** A function, event or error of a contract. */
export interface AbiItem {
  readonly kind: 'function' | 'event' | 'error'
  readonly name: string
  readonly inputs: readonly (AbiField & { readonly isIndexed: boolean })[]
  readonly outputs: readonly AbiField[]
  readonly mutability: 'pure' | 'view' | 'nonpayable' | 'payable'
  readonly isAnonymous: boolean
  readonly signature: string
  /** The selector, of events the first topic. */
  readonly id: string
}

/** Parts of an artifact that the page keeps. */
export interface Artifact {
  readonly name: string
  /** As JSON, and only what the page reads. */
  readonly abi: readonly object[]
  /** Of the deployed code, without 0x; null where it is not known. */
  readonly codeHash: string | null
  /** Contracts of this kind. */
  readonly deployments: readonly Deployment[]
}

/** A contract that is of an artifact. */
export interface Deployment {
  /** In lower case. */
  readonly address: string
  /** Of the code that it had when that was said, without 0x; null where it is not known. */
  readonly codeHash: string | null
}

/** A call, an event or an error in the words of an ABI. */
export interface Decoded {
  readonly item: AbiItem
  /** Name of the artifact that it is from. */
  readonly by: string
  /** Null stands for a value of which only a hash is known. */
  readonly values: readonly (AbiValue | null)[]
}
