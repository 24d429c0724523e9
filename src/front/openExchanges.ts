/** An exchange that is in a list. */
export interface ListedExchange {
  /** Position in the list; only the list sets it. */
  index: number
}

/**
 * Exchanges of one WebSocket that have no answer yet. Each message goes in and comes out again: a set would make itself
 * a new table each time that it is emptied.
 */
export class OpenExchanges<T extends ListedExchange> {
  readonly #list: T[] = []

  get size(): number {
    return this.#list.length
  }

  add(exchange: T): void {
    exchange.index = this.#list.length
    this.#list.push(exchange)
  }

  /** Removes one that may be there. */
  remove(exchange: T): void {
    const list = this.#list
    const { index } = exchange
    if (list[index] !== exchange) return
    const last = list.pop()
    if (last === undefined || last === exchange) return
    list[index] = last
    last.index = index
  }

  /** Those that are there now. */
  all(): readonly T[] {
    return [...this.#list]
  }
}
