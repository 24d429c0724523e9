import { isIP } from 'node:net'

/** An address, or all addresses with a prefix. */
export interface Subnet {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  /** Length of the prefix in bits; all of them for one address. */
  readonly bits: number
}

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const

/** The subnet of a text such as `10.0.0.0/8`, `::1` or `127.0.0.1`; null when it is none. */
export function parseSubnet(text: string): Subnet | null {
  const [address = '', length, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return null
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const bits = length === undefined ? ADDRESS_BITS[family] : Number(length)
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= ADDRESS_BITS[family])
  return isLength ? { family, address, bits } : null
}
