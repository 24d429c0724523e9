import { isIP } from 'node:net'

const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/i

/**
 * Host names of this machine. Names below `.localhost` are not among them: some systems ask the network for
 * those.
 */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** True when a text is an origin as browsers send it (RFC 6454 §6.1): small letters, no default port, no path. */
export function isWebOrigin(text: string): boolean {
  if (EXTENSION.test(text)) return true
  try {
    const { protocol, origin } = new URL(text)
    return (protocol === 'http:' || protocol === 'https:') && origin === text
  } catch {
    return false
  }
}

/**
 * The origin in a header of that name; empty when it is of no page. Browsers send a scheme with `://`, or `null`
 * (RFC 6454 §7.1); some programs send their own name.
 */
export function pageOriginOf(header: string): string {
  return header === 'null' || header.includes('://') ? header : ''
}

/** True when an origin is that of a page that this machine serves, on any port. */
export function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.test(origin)
}

/** True when a listener on this host is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

/** True when an origin is that of a browser extension, such as a wallet. */
export function isExtensionOrigin(origin: string): boolean {
  return EXTENSION.test(origin)
}
