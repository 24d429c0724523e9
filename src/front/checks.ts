import { isIP } from 'node:net'

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/json-rpc', 'text/json'])

/**
 * True when a body of this content type is read; a missing one is taken for JSON, but from browsers (decisions.md D23).
 */
export function isJsonContent(contentType: string): boolean {
  if (contentType === '' || contentType === 'application/json') return true
  const end = contentType.indexOf(';')
  const media = end < 0 ? contentType : contentType.slice(0, end)
  return JSON_TYPES.has(media.trim().toLowerCase())
}

/**
 * Whether a `Host` header is let through: any when `*` is listed, a listed name, any literal IP address,
 * and a missing one (rpc.md §1.1). Keeps web pages from reaching the node by DNS rebinding.
 */
export function isAllowedHost(hosts: readonly string[], header: string): boolean {
  if (header === '' || hosts.includes('*')) return true
  const name = hostName(header).toLowerCase()
  return hosts.includes(name) || isIP(name) !== 0
}

/** {@link isAllowedHost} for one list of names. Most requests of a node have the same header. */
export class HostCheck {
  readonly #hosts: readonly string[]
  #allowed = ''

  constructor(hosts: readonly string[]) {
    this.#hosts = hosts
  }

  allows(header: string): boolean {
    if (header === this.#allowed) return true
    if (!isAllowedHost(this.#hosts, header)) return false
    this.#allowed = header
    return true
  }
}

const REQUEST_ID = /^[\w.:@/+=-]{1,128}$/

/** The name that a client gave its request, if it can stand in a log and in a header; else null. */
export function requestIdOf(header: string): string | null {
  return header !== '' && REQUEST_ID.test(header) ? header : null
}

const DECIMAL = /^[0-9]{1,16}$/

/** The number of a block in a header; null for anything else. */
export function blockNumberOf(header: string): number | null {
  if (!DECIMAL.test(header)) return null
  const number = Number(header)
  return Number.isSafeInteger(number) ? number : null
}

/** The host of a `Host` header without its port and without the brackets of an IPv6 address. */
export function hostName(header: string): string {
  if (header.startsWith('[')) return header.slice(1, Math.max(1, header.indexOf(']')))
  const colon = header.lastIndexOf(':')
  return colon < 0 ? header : header.slice(0, colon)
}
