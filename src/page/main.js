/** @import { FeedState, Head } from './types.js' */
import { Contracts } from './abi/contracts.js'
import { Project, readProject } from './abi/project.js'
import { parseSearchTerm } from './chain/searchTerm.js'
import { RpcClient, RpcFailure } from './rpc/client.js'
import { Endpoint } from './rpc/endpoint.js'
import { kindOfHash } from './rpc/hashKind.js'
import { HeadFeed } from './rpc/headFeed.js'
import { Methods } from './rpc/methods.js'
import { TokenBook } from './rpc/tokens.js'
import { fill } from './ui/dom.js'
import { blockLink } from './ui/links.js'
import { Router } from './ui/router.js'
import { bindThemeSwitch } from './ui/theme.js'
import { age, startClock } from './ui/time.js'
import { abisView } from './views/abis.js'
import { addressView } from './views/address.js'
import { blockView } from './views/block.js'
import { blocksView } from './views/blocks.js'
import { bridgeView } from './views/bridge.js'
import { developmentView } from './views/development.js'
import { failure } from './views/failure.js'
import { homeView } from './views/home.js'
import { keyForm } from './views/keyForm.js'
import { methodView } from './views/method.js'
import { methodListView } from './views/methodList.js'
import { notFoundView, searchView } from './views/notFound.js'
import { peersView } from './views/peers.js'
import { transactionView } from './views/transaction.js'
import { usageView } from './views/usage.js'

/** A method that only chains for development have. */
const DEVELOPMENT_METHOD = 'evm_snapshot'

const FEED_TEXTS = {
  connecting: 'connecting',
  live: 'live',
  polling: 'asking every 5 s',
  offline: 'the node cannot be reached',
}

const VIEWS = new Map([
  ['', homeView],
  ['blocks', blocksView],
  ['block', blockView],
  ['bridge', bridgeView],
  ['peers', peersView],
  ['tx', transactionView],
  ['address', addressView],
  [
    'methods',
    (/** @type {Parameters<typeof methodView>} */ ...[context, parts, signal]) =>
      parts.length === 0 ? methodListView(context, parts, signal) : methodView(context, parts, signal),
  ],
  ['abis', abisView],
  ['dev', developmentView],
  ['usage', usageView],
  ['search', searchView],
])

/** Puts the parts of the page together. */
class Page {
  #endpoint = new Endpoint(document.baseURI)
  #client = new RpcClient(this.#endpoint)
  #main = part('main')
  #contracts = new Contracts()
  /** @type {Set<string>} */
  #impersonated = new Set()
  /** @type {{ id: string, block: bigint }[]} */
  #snapshots = []
  /** @type {Head | null} */
  #head = null
  /** @type {HeadFeed | null} */
  #feed = null
  /** @type {Router | null} */
  #router = null

  /** Reads what the node is, then shows what the address names. */
  async open() {
    /** @type {any[]} */
    let answers
    try {
      answers = await this.#client.all([
        { method: 'rpc.discover' },
        { method: 'eth_chainId' },
        { method: 'web3_clientVersion' },
      ])
    } catch (error) {
      this.#showFailure(error)
      return
    }
    const [document, chainId, clientVersion] = answers
    const methods = new Methods(document.methods)
    const project = new Project(this.#client, methods, Number(chainId))
    const context = {
      project,
      client: this.#client,
      endpoint: this.#endpoint,
      methods,
      impersonated: this.#impersonated,
      snapshots: this.#snapshots,
      contracts: this.#contracts,
      tokens: new TokenBook(this.#client),
      isDevelopment: methods.has(DEVELOPMENT_METHOD),
      chainId: Number(chainId),
      clientVersion: String(clientVersion),
      head: () => this.#head,
      leave: () => this.#askForKey(this.#endpoint.hasKey),
      signOut: () => this.#askForKey(false),
    }
    part('usage-link').hidden = !this.#endpoint.hasKey
    part('dev-link').hidden = !context.isDevelopment
    await readProject(context)
    this.#router = new Router(this.#main, context, VIEWS, notFoundView, failure)
    this.#router.start()
    this.#feed = new HeadFeed(this.#client, this.#endpoint, {
      onHead: (head) => {
        this.#head = head
        fill(part('newest'), ['Block ', blockLink(head.number), ' · ', age(head.timestamp)])
        this.#router?.headChanged(head)
      },
      onState: showFeed,
    })
    this.#feed.start()
  }

  /** Finds what was typed into the search field. @param {string} term */
  async find(term) {
    const found = parseSearchTerm(term)
    if (found === null) {
      location.hash = `#/search/${encodeURIComponent(term.trim())}`
      return
    }
    const { kind, value } = found
    if (kind === 'number') location.hash = `#/block/${value}`
    else if (kind === 'address') location.hash = `#/address/${value}`
    else location.hash = `#/${(await kindOfHash(this.#client, value)) ?? 'search'}/${value}`
  }

  /** @param {unknown} error */
  #showFailure(error) {
    if (error instanceof RpcFailure && error.wantsKey) {
      this.#askForKey(this.#endpoint.hasKey)
      return
    }
    this.#show(failure(error, () => void this.open()))
  }

  /** @param {boolean} isWrong */
  #askForKey(isWrong) {
    this.#feed?.stop()
    this.#router?.stop()
    this.#endpoint.forget()
    part('usage-link').hidden = true
    part('dev-link').hidden = true
    showFeed('connecting')
    fill(part('newest'), null)
    this.#show(keyForm(this.#endpoint, { isWrong, onKey: () => void this.open() }))
    document.title = 'API key · Rhizome'
    this.#main.querySelector('input')?.focus()
  }

  /** @param {readonly Node[]} content */
  #show(content) {
    this.#main.removeAttribute('aria-busy')
    fill(this.#main, content)
  }
}

/** @param {FeedState} state */
function showFeed(state) {
  const feed = part('feed')
  feed.dataset['state'] = state
  feed.textContent = FEED_TEXTS[state]
}

/** @param {string} id */
function part(id) {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element
}

const page = new Page()
bindThemeSwitch(part('theme'))
startClock()
part('search').addEventListener('submit', (event) => {
  event.preventDefault()
  const input = part('search').querySelector('input')
  if (input !== null && input.value.trim() !== '') void page.find(input.value)
})
document.querySelector('.skip')?.addEventListener('click', (event) => {
  // The address names a view, so the link must not change it.
  event.preventDefault()
  part('main').focus()
})
void page.open()
