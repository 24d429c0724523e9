import type { TemplatedApp } from 'uWebSockets.js'

type Handler = (...values: unknown[]) => unknown

/** No handler of the library takes more values; a list of them would be made for every request. */
type FourValues = (first: unknown, second: unknown, third: unknown, fourth: unknown) => unknown

/** Methods that take a handler last. */
const ROUTES: ReadonlySet<string | symbol> = new Set([
  'any',
  'del',
  'filter',
  'get',
  'head',
  'options',
  'patch',
  'post',
  'put',
])

/** An app, and the end of what its handlers hold. */
export interface DetachableApp {
  readonly app: TemplatedApp
  /** Lets the handlers go; from then on nothing is answered. */
  detach(): void
}

/**
 * The library keeps the handlers of an app until the process ends, even after the app is closed. Handlers reference a
 * whole node, so a process that starts and stops nodes has to detach them.
 */
export function detachable(app: TemplatedApp): DetachableApp {
  const held: { handler: Handler | null }[] = []
  const hold = (handler: Handler): Handler => {
    const holder: { handler: Handler | null } = { handler }
    held.push(holder)
    const forward: FourValues = (first, second, third, fourth) =>
      holder.handler?.(first, second, third, fourth)
    return forward as Handler
  }
  const holdAll = (behavior: object): object =>
    Object.fromEntries(
      Object.entries(behavior).map(([name, value]) => [
        name,
        typeof value === 'function' ? hold(value as Handler) : value,
      ]),
    )
  const detaching = new Proxy(app, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      const isRoute = ROUTES.has(name)
      if (!isRoute && name !== 'ws') return method.bind(target)
      return (...values: unknown[]) => {
        const last = values.pop()
        const kept = isRoute ? hold(last as Handler) : holdAll(last as object)
        Reflect.apply(method, target, [...values, kept])
        return detaching
      }
    },
  })
  return {
    app: detaching,
    detach: () => {
      for (const holder of held) holder.handler = null
    },
  }
}
