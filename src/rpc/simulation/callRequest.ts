import type { BlockHeader } from '../../chain/codec/header.ts'
import type { AccountOverride, CallRequest } from '../../execution/callTypes.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams } from '../errors.ts'
import type { CallObject } from '../params/callObject.ts'

const NO_DATA = Buffer.alloc(0)

/**
 * A simulation of a call object with at most `gasCap` gas.
 * @throws RpcError when creations are refused and `to` is absent, or overrides are switched off
 */
export function createCallRequest(
  { node }: NodeContext,
  call: CallObject,
  gasCap: bigint,
  overrides: readonly AccountOverride[],
): CallRequest {
  const { settings } = node
  if (!settings.answersCreations && call.to === null) throw invalidParams('to is required')
  if (overrides.length > 0 && !settings.stateOverrides) throw invalidParams('State override is not allowed')
  return {
    from: call.from,
    to: call.to,
    gas: call.gas === null || call.gas > gasCap ? gasCap : call.gas,
    gasPrice: call.gasPrice ?? call.maxFeePerGas ?? 0n,
    value: call.value ?? 0n,
    data: call.data ?? NO_DATA,
    overrides,
  }
}

/**
 * Refuses overrides of precompiled contracts, which are no state: the block decides which are active.
 * @throws RpcError -32602 (rpc.md §3.5)
 */
export function assertOverridable(
  { execution }: NodeContext,
  header: BlockHeader,
  { overrides }: Pick<CallRequest, 'overrides'>,
): void {
  if (overrides.some(({ address }) => execution.isPrecompiled(header, address))) {
    throw invalidParams('Precompiled contracts can not be overridden')
  }
}
