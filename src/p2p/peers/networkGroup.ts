import { isIPv4, isIPv6 } from 'node:net'

/** Octets of the IPv4 subnet: /16, as in the reference (p2p.md §7). */
const IPV4_OCTETS = 2

/** Groups of the IPv6 subnet, which is what one provider gets: /32. */
const IPV6_GROUPS = 2

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Normalises an address: IPv4-mapped IPv6 becomes IPv4, zones are removed. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address.split('%')[0] ?? address
}

/** Name of the subnet of an address. @param address of {@link plainAddress} */
export function networkGroup(address: string): string {
  if (isIPv4(address)) return address.split('.').slice(0, IPV4_OCTETS).join('.')
  if (!isIPv6(address)) return address
  const [head = ''] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  return Array.from({ length: IPV6_GROUPS }, (_, index) =>
    (groups[index] ?? '0').replace(/^0+(?=.)/, ''),
  ).join(':')
}

/**
 * Name under which a peer counts where independent peers are counted: its subnet, because one owner may have
 * all of it; a peer that the operator trusts counts by itself.
 */
export function independenceOf({
  id,
  address,
  trusted,
}: {
  readonly id: string
  readonly address: string
  readonly trusted: boolean
}): string {
  return trusted ? id : networkGroup(address)
}

/** Groups items with an address by subnet. */
export function groupByNetwork<T extends { readonly address: string }>(all: Iterable<T>): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const group = networkGroup(each.address)
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [each])
    else members.push(each)
  }
  return groups
}
