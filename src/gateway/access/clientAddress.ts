import { BlockList, isIP, isIPv4 } from 'node:net'
import { parseSubnet } from '../../util/subnet.ts'

/**
 * The part of an address that identifies a client: an IPv4 address as a number, or the first 64 bits of an IPv6 address
 * as text, because a client controls a whole /64.
 */
export type ClientAddress = number | string

const GROUPS = 8

/** The client of an address as sockets give it: 4 or 16 bytes; null for anything else. */
export function clientOfBytes(bytes: ArrayBuffer): ClientAddress | null {
  const view = new DataView(bytes)
  if (bytes.byteLength === 4) return view.getUint32(0)
  if (bytes.byteLength !== 16) return null
  if (view.getUint32(0) === 0 && view.getUint32(4) === 0 && view.getUint32(8) === 0xffff)
    return view.getUint32(12)
  return `${view.getUint32(0).toString(16)}:${view.getUint32(4).toString(16)}`
}

/** The client of an address in text; null for what is no address. */
export function clientOfText(text: string): ClientAddress | null {
  const bytes = bytesOfText(text)
  return bytes === null ? null : clientOfBytes(bytes)
}

/** Addresses of proxies whose `X-Forwarded-For` is believed. */
export class TrustedProxies {
  readonly isEmpty: boolean
  readonly #list = new BlockList()

  /** @param proxies addresses and subnets such as `10.0.0.0/8` @throws RangeError for anything else */
  constructor(proxies: readonly string[]) {
    this.isEmpty = proxies.length === 0
    for (const proxy of proxies) {
      const subnet = parseSubnet(proxy)
      if (subnet === null) throw new RangeError(`${proxy} is neither an address nor a subnet`)
      this.#list.addSubnet(subnet.address, subnet.bits, subnet.family)
    }
  }

  /** True when an address, 4 or 16 bytes, is that of a proxy. */
  has(address: ArrayBuffer): boolean {
    return !this.isEmpty && this.#isProxy(textOfBytes(address))
  }

  /**
   * The client of a request: the last address in the header that is not a trusted proxy. The sender itself when it is
   * not a trusted proxy or the header is malformed.
   */
  clientOf(sender: ArrayBuffer, forwardedFor: string): ClientAddress | null {
    const own = clientOfBytes(sender)
    if (!this.#isProxy(textOfBytes(sender))) return own
    const hops = forwardedFor.split(',').map((hop) => hop.trim())
    for (let i = hops.length - 1; i >= 0; i -= 1) {
      const hop = hops[i] ?? ''
      if (isIP(hop) === 0) return own
      if (!this.#isProxy(hop)) return clientOfText(hop)
    }
    return own
  }

  #isProxy(address: string): boolean {
    return isIPv4(address) ? this.#list.check(address, 'ipv4') : this.#list.check(address, 'ipv6')
  }
}

function textOfBytes(bytes: ArrayBuffer): string {
  const client = clientOfBytes(bytes)
  if (typeof client === 'number') return [24, 16, 8, 0].map((shift) => (client >>> shift) & 0xff).join('.')
  const view = new DataView(bytes)
  return Array.from({ length: bytes.byteLength / 2 }, (_, group) =>
    view.getUint16(2 * group).toString(16),
  ).join(':')
}

function bytesOfText(text: string): ArrayBuffer | null {
  const version = isIP(text)
  if (version === 0) return null
  if (version === 4) return Uint8Array.from(text.split('.'), Number).buffer
  const groups = ipv6Groups(text.split('%', 1)[0] ?? '')
  const view = new DataView(new ArrayBuffer(16))
  groups.forEach((group, i) => {
    view.setUint16(2 * i, group)
  })
  return view.buffer
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(text: string): number[] {
  const [before = '', after] = text.split('::')
  const head = groupsOf(before)
  if (after === undefined) return head
  const tail = groupsOf(after)
  return [...head, ...new Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
