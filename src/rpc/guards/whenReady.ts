import type { Eventually } from '../context.ts'

/** Goes on with a value: in this call where it is there already, as most are. */
export function whenReady<T, R>(value: Eventually<T>, next: (value: T) => R): Eventually<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
