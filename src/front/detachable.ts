import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'

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

/** A handler that can be replaced. */
interface HeldHandler {
  /** The library's name of the route or of the event of a WebSocket. */
  readonly name: string
  handler: Handler | null
}

/** The method whose handler is called for each connection that comes and goes, which is no route. */
const CONNECTIONS = 'filter'

/** An app, and the end of what its handlers hold. */
export interface DetachableApp {
  readonly app: TemplatedApp
  /** In the order in which they were added. */
  readonly handlers: readonly HeldHandler[]
  /**
   * Has requests that come over this app's connections answered by another app, to which the same routes were added in
   * the same order. WebSockets stay with their handlers, and no connection becomes one any more.
   */
  handOver(next: DetachableApp): void
  /** Lets the handlers go; from then on nothing is answered. */
  detach(): void
}

/**
 * The library keeps the handlers of an app until the process ends, even after the app is closed. Handlers reference a
 * whole node, so a process that starts and stops nodes has to detach them.
 */
export function detachable(app: TemplatedApp): DetachableApp {
  const held: HeldHandler[] = []
  const hold = (name: string, handler: Handler): Handler => {
    const holder: HeldHandler = { name, handler }
    held.push(holder)
    const forward: FourValues = (first, second, third, fourth) =>
      holder.handler?.(first, second, third, fourth)
    return forward as Handler
  }
  const holdAll = (behavior: object): object =>
    Object.fromEntries(
      Object.entries(behavior).map(([name, value]) => [
        name,
        typeof value === 'function' ? hold(name, value as Handler) : value,
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
        const kept = isRoute ? hold(String(name), last as Handler) : holdAll(last as object)
        Reflect.apply(method, target, [...values, kept])
        return detaching
      }
    },
  })
  return {
    app: detaching,
    handlers: held,
    handOver: (next) => {
      for (const [index, holder] of held.entries()) {
        const other = next.handlers[index]
        if (holder.name === 'upgrade') holder.handler = (response) => (response as HttpResponse).close()
        else if (holder.name !== CONNECTIONS && ROUTES.has(holder.name) && other?.name === holder.name)
          holder.handler = (first, second, third, fourth) => other.handler?.(first, second, third, fourth)
      }
    },
    detach: () => {
      for (const holder of held) holder.handler = null
    },
  }
}
