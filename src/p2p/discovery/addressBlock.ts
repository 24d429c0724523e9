import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkGroup } from '../peers/networkGroup.ts'

/** The scope from which an address can be reached: public, a local network, this machine, or none. */
export type AddressScope = 'public' | 'local' | 'loopback' | 'none'

/** Octets of the IPv4 subnet that one owner may control: /24. */
const IPV4_OCTETS = 3

const SCOPES: readonly (readonly [scope: AddressScope, list: BlockList])[] = [
  ['none', blocks('0.0.0.0/8', '224.0.0.0/3', '::/128', 'ff00::/8')],
  ['loopback', blocks('127.0.0.0/8', '::1/128')],
  [
    'local',
    blocks(
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '100.64.0.0/10',
      'fc00::/7',
      'fe80::/10',
    ),
  ],
]

/** @param address IP address; the scope of anything else is none */
export function scopeOf(address: string): AddressScope {
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : null
  if (family === null) return 'none'
  return SCOPES.find(([, list]) => list.check(address, family))?.[0] ?? 'public'
}

/**
 * Whether a node may name an address: an address in the local network that is named from outside could turn
 * this node against that network.
 */
export function mayName(sender: AddressScope, named: AddressScope): boolean {
  if (named === 'none') return false
  return named === 'public' || sender === 'loopback' || named === sender
}

/** Name of the subnet that the table counts by: /24 of IPv4; /32 of IPv6, which is what one provider gets. */
export function blockOf(address: string): string {
  return isIPv4(address) ? address.split('.').slice(0, IPV4_OCTETS).join('.') : networkGroup(address)
}

function blocks(...subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
