import type { HttpResponse } from 'uWebSockets.js'
import { isIP } from 'node:net'
import { isExtensionOrigin, isLoopbackOrigin } from '../util/webOrigin.ts'
import { hostName } from './checks.ts'
import type { FrontOptions } from './options.ts'

/** The rights of a request because of the page that it comes from (decisions.md D59). */
export interface PageAccess {
  /** Origin whose scripts the browser may show the answer to; null for no CORS headers. */
  readonly allowedOrigin: string | null
  /** True when methods that sign, change the chain or the node are closed. */
  readonly restricted: boolean
  /** True when it comes from a page that nobody allowed: it gets no preflight and no WebSocket. */
  readonly foreign: boolean
}

/** The rights of a request of no page, and of one of a page that is trusted as much. */
export const NO_PAGE: PageAccess = { allowedOrigin: null, restricted: false, foreign: false }
const FOREIGN: PageAccess = { allowedOrigin: null, restricted: true, foreign: true }
const OWN_RESTRICTED: PageAccess = { allowedOrigin: null, restricted: true, foreign: false }

/** Words that stand for the origins of many pages. */
const ANY = '*'
const LOOPBACK = 'loopback'
const EXTENSIONS = 'extensions'

/** The headers of a request that say which page it comes from. They are empty where there are none. */
export interface PageMetadata {
  readonly origin: string
  readonly host: string
  /** The header `Sec-Fetch-Site`. */
  readonly site: string
  /** The scheme that a trusted proxy was asked under; empty where there is none. */
  readonly forwardedScheme: string
}

/** Tells apart requests of programs, of the node's own page and of pages of other origins. */
export class Origins {
  readonly #listed: ReadonlySet<string>
  readonly #trusted: ReadonlySet<string>
  readonly #hosts: readonly string[]
  readonly #ownScheme: string

  constructor({ corsOrigin, trustedOrigins, hosts, tls }: OriginOptions) {
    this.#listed = new Set(corsOrigin === null ? [] : splitOrigins(corsOrigin))
    this.#trusted = new Set(trustedOrigins)
    this.#hosts = hosts
    this.#ownScheme = tls === null ? 'http' : 'https'
  }

  /**
   * @param keyOrigins origins that the API key of the request is for; null for none
   * @returns what the page of the request may do; everything when it comes from no page
   */
  accessOf(
    { origin, host, site, forwardedScheme }: PageMetadata,
    keyOrigins: ReadonlySet<string> | null,
  ): PageAccess {
    if (origin === '') return site === 'cross-site' || site === 'same-site' ? FOREIGN : NO_PAGE
    if (isNamed(this.#trusted, origin)) return { allowedOrigin: origin, restricted: false, foreign: false }
    const scheme = forwardedScheme === '' ? this.#ownScheme : forwardedScheme
    if (origin === `${scheme}://${host.toLowerCase()}`)
      return this.#isNodeName(host) ? NO_PAGE : OWN_RESTRICTED
    const isListed =
      this.#listed.has(ANY) || isNamed(this.#listed, origin) || keyOrigins?.has(origin) === true
    return isListed ? { allowedOrigin: origin, restricted: true, foreign: false } : FOREIGN
  }

  /**
   * True when nobody else can have given the node this name: with any host allowed a rebound name is not of this node.
   */
  #isNodeName(host: string): boolean {
    const name = hostName(host).toLowerCase()
    return name === 'localhost' || isIP(name) !== 0 || this.#hosts.includes(name)
  }
}

/** Writes the headers that let scripts of a page see the answer. @param origin null for none */
export function writeAllowedOrigin(response: HttpResponse, origin: string | null): void {
  if (origin === null) return
  response.writeHeader('Access-Control-Allow-Origin', origin).writeHeader('Vary', 'Origin')
}

/** The options that say which pages are allowed. */
export type OriginOptions = Pick<FrontOptions, 'corsOrigin' | 'trustedOrigins' | 'hosts' | 'tls'>

function isNamed(names: ReadonlySet<string>, origin: string): boolean {
  if (names.size === 0) return false
  return (
    names.has(origin) ||
    (names.has(LOOPBACK) && isLoopbackOrigin(origin)) ||
    (names.has(EXTENSIONS) && isExtensionOrigin(origin))
  )
}

function splitOrigins(list: string): string[] {
  return list.split(',').map((entry) => entry.trim())
}
