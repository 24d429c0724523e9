import { isIP } from 'node:net'

const MAPPED_PREFIX = '::ffff:'

/**
 * The block of addresses that stands for one owner: /16 of IPv4, /32 of IPv6. Peers of one block count as one where
 * independence matters.
 */
export function addressGroup(address: string): string {
  const plain = address.toLowerCase().startsWith(MAPPED_PREFIX)
    ? address.slice(MAPPED_PREFIX.length)
    : address
  switch (isIP(plain)) {
    case 4:
      return plain.split('.').slice(0, 2).join('.')
    case 6: {
      const [head = ''] = plain.toLowerCase().split('::')
      const parts = head === '' ? [] : head.split(':')
      return [parts[0] ?? '0', parts[1] ?? '0'].map((part) => part.replace(/^0+(?=.)/, '')).join(':')
    }
    default:
      return plain
  }
}
