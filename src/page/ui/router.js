/** @import { Context, Head, View, ViewMaker } from '../types.js' */
import { RpcFailure } from '../rpc/client.js'

/** Shows the view that the address names, and what went wrong where it cannot be made. */
export class Router {
  #main
  #context
  #views
  #otherwise
  #onFailure
  /** @type {View | null} */
  #view = null
  #abort = new AbortController()
  #isFirst = true

  /**
   * @param {HTMLElement} main where views are shown
   * @param {Context} context
   * @param {ReadonlyMap<string, ViewMaker>} views by the first part of the address; '' is the start
   * @param {ViewMaker} otherwise for addresses that name none
   * @param {(error: unknown, again: () => void) => Node[]} onFailure what is shown when a view cannot be made
   */
  constructor(main, context, views, otherwise, onFailure) {
    this.#main = main
    this.#context = context
    this.#views = views
    this.#otherwise = otherwise
    this.#onFailure = onFailure
  }

  start() {
    addEventListener('hashchange', this.#show)
    void this.#show()
  }

  /** Shows nothing more. */
  stop() {
    removeEventListener('hashchange', this.#show)
    this.#abort.abort()
  }

  /** Hands news of the head to the view. @param {Head} head */
  headChanged(head) {
    this.#view?.onHead?.(head)
  }

  #show = async () => {
    this.#abort.abort()
    const abort = new AbortController()
    this.#abort = abort
    this.#view = null
    const [name = '', ...parts] = partsOf(location.hash)
    markCurrent(name)
    this.#main.setAttribute('aria-busy', 'true')
    const make = this.#views.get(name) ?? this.#otherwise
    /** @type {View} */
    let view
    try {
      view = await make(this.#context, parts, abort.signal)
    } catch (error) {
      if (abort.signal.aborted) return
      if (error instanceof RpcFailure && error.wantsKey) {
        this.#context.leave()
        return
      }
      view = { title: 'This did not work', content: this.#onFailure(error, () => void this.#show()) }
    }
    if (abort.signal.aborted) return
    this.#view = view
    this.#main.replaceChildren(...view.content)
    this.#main.removeAttribute('aria-busy')
    document.title = `${view.title} · Rhizome`
    // The first view leaves the focus where the browser put it.
    if (!this.#isFirst) {
      scrollTo(0, 0)
      this.#main.querySelector('h1')?.focus({ preventScroll: true })
    }
    this.#isFirst = false
    const head = this.#context.head()
    if (head !== null) view.onHead?.(head)
  }
}

/** @param {string} hash */
function partsOf(hash) {
  return hash.replace(/^#\/?/, '').split('/').map(decoded)
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** @param {string} name */
function markCurrent(name) {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#/${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}
