/** @import { Method } from '../types.js' */

/** The methods that the node offers, from its OpenRPC document. */
export class Methods {
  #byName

  /** @param {readonly Method[]} methods */
  constructor(methods) {
    this.#byName = new Map(methods.map((method) => [method.name, method]))
  }

  /** Whether a method is open. @param {string} name */
  has(name) {
    return this.#byName.has(name)
  }

  /** @param {string} name */
  find(name) {
    return this.#byName.get(name) ?? null
  }

  /**
   * The methods by module, modules and methods in alphabetical order.
   * @returns {[module: string, methods: Method[]][]}
   */
  byModule() {
    /** @type {Map<string, Method[]>} */
    const modules = new Map()
    for (const method of this.#byName.values()) {
      const module = method.name.split(/[_.]/, 1)[0] ?? method.name
      modules.set(module, [...(modules.get(module) ?? []), method])
    }
    return [...modules].sort(([a], [b]) => a.localeCompare(b))
  }
}
