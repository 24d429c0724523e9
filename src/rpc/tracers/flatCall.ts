/** A call of a flat trace, as the native core writes it (evm.md §6.3); only what is read of it. */
export interface FlatCall {
  readonly type: 'call' | 'create' | 'suicide'
  readonly action: {
    readonly callType?: string
    readonly from?: string
    readonly to?: string
    readonly value?: string
    readonly creationMethod?: string
    /** Of the contract that ends. */
    readonly address?: string
    readonly refundAddress?: string
    readonly balance?: string
  }
  readonly traceAddress: readonly number[]
  /** null where the call failed. */
  readonly result: { readonly address?: string } | null
  readonly error?: string
}

/** The calls that had an effect: neither they failed nor one that they are a part of. In the order of execution. */
export function effectiveCalls(texts: readonly string[]): FlatCall[] {
  // A failed call undoes those behind it whose address begins with its own.
  const failures: (readonly number[])[] = []
  return texts
    .map((text) => JSON.parse(text) as FlatCall)
    .filter(({ traceAddress, error }) => {
      const last = failures.at(-1)
      if (last?.every((index, level) => traceAddress[level] === index) === true) return false
      if (error !== undefined) failures.push(traceAddress)
      return error === undefined
    })
}

/** Every address that a call has to do with, lower case: who calls and is called, is created, ends, or gets its money. */
export function addressesOf({ action, result }: FlatCall): string[] {
  const { from, to, address, refundAddress } = action
  return [from, to, address, refundAddress, result?.address].filter((found) => found !== undefined)
}
