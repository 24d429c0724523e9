import { FleetError } from '../../fleet/errors.ts'
import { StorageError } from '../../storage/errors.ts'
import type { Eventually } from '../context.ts'
import { RpcError } from '../errors.ts'

/**
 * Goes on with what filters answered: in this call where it is there already, as in a node without a fleet.
 * @throws RpcError `fleetAway` when the member that has a filter is away, `storeUnwritable` when its position cannot be
 *   written
 */
export function whenFiltered<T, R>(value: Eventually<T>, next: (value: T) => R): Eventually<R> {
  return value instanceof Promise ? value.then(next, fail) : next(value)
}

function fail(cause: unknown): never {
  if (cause instanceof FleetError) throw new RpcError('fleetAway', cause.message, { cause })
  if (cause instanceof StorageError && cause.code === 'STORAGE_UNWRITABLE') {
    throw new RpcError('storeUnwritable', undefined, { cause })
  }
  throw cause
}
