import type { CallInput, CallOverride } from '../native/types.ts'
import { bigIntToBytes } from '../util/bytes.ts'
import type { AccountOverride, CallRequest } from './callTypes.ts'

/** A call in the form of the native core. */
export function toNativeMessage(
  request: Omit<CallRequest, 'overrides' | 'environment'>,
): CallInput['message'] {
  return {
    ...(request.from === null ? {} : { from: request.from }),
    ...(request.to === null ? {} : { to: request.to }),
    gasPrice: bigIntToBytes(request.gasPrice),
    value: bigIntToBytes(request.value),
    data: request.data,
    gas: request.gas,
  }
}

/** An overridden account in the form of the native core. */
export function toNativeOverride(override: AccountOverride): CallOverride {
  const { address, balance, nonce, code, state, stateDiff } = override
  return {
    address,
    ...(balance === undefined ? {} : { balance: bigIntToBytes(balance) }),
    ...(nonce === undefined ? {} : { nonce: bigIntToBytes(nonce) }),
    ...(code === undefined ? {} : { code }),
    ...(state === undefined ? {} : { state: toPairs(state) }),
    ...(stateDiff === undefined ? {} : { stateDiff: toPairs(stateDiff) }),
  }
}

/** Slots and words alternately. */
function toPairs(cells: ReadonlyMap<bigint, Buffer>): Buffer[] {
  return [...cells].flatMap(([slot, word]) => [bigIntToBytes(slot), word])
}
