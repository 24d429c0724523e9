import { isLoopback } from './loopback.js'

const ITEM = 'key'

/**
 * Where the node answers, and with which API key. The key is the last part of the path of each request; it is
 * kept in the storage of the browser and never becomes part of the address that the browser shows.
 */
export class Endpoint {
  #base
  #key

  /** @param {string} page address of the page */
  constructor(page) {
    this.#base = new URL('.', page)
    this.#base.search = ''
    this.#base.hash = ''
    this.#key = read(sessionStorage) ?? read(localStorage)
  }

  /** Whether requests carry a key. */
  get hasKey() {
    return this.#key !== null
  }

  /** Whether the page came from this machine. */
  get isLocal() {
    return isLoopback(this.#base.hostname)
  }

  /** Where requests are sent. */
  get url() {
    return this.#key === null ? this.#base.href : new URL(encodeURIComponent(this.#key), this.#base).href
  }

  /** Where a WebSocket is opened. */
  get socketUrl() {
    return this.url.replace(/^http/, 'ws')
  }

  /** Where the use of the key is told. */
  get usageUrl() {
    return `${this.url}/usage`
  }

  /** The address for examples: it never shows the key. */
  get exampleUrl() {
    return this.#key === null ? this.#base.href : `${this.#base.href}YOUR_KEY`
  }

  /**
   * Takes a key.
   * @param {string} key
   * @param {boolean} isKept beyond this tab
   */
  use(key, isKept) {
    this.forget()
    this.#key = key
    try {
      const storage = isKept ? localStorage : sessionStorage
      storage.setItem(ITEM, key)
    } catch {
      // Without storage the key lasts as long as the page.
    }
  }

  /** Forgets the key, also what is stored of it. */
  forget() {
    this.#key = null
    try {
      sessionStorage.removeItem(ITEM)
      localStorage.removeItem(ITEM)
    } catch {
      // Nothing was stored.
    }
  }
}

/** @param {Storage} storage */
function read(storage) {
  try {
    return storage.getItem(ITEM)
  } catch {
    return null
  }
}
