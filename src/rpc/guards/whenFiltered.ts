import type { Eventually } from '../context.ts'

/** Goes on with what filters answered: in this call where it is there already, as that of a filter of this node. */
export function whenFiltered<T, R>(value: Eventually<T>, next: (value: T) => R): Eventually<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
