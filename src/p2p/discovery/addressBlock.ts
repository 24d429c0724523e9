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

/** Bits of an IPv6 address that identify a customer, and of the block that replies are counted by. */
const CUSTOMER_BITS = 64
const REPLY_BLOCK_BITS = 56
const GROUP_BITS = 16

/** Name of who sent a packet. On loopback all nodes of a machine share an address, so that ports are counted. */
export function sourceOf(address: string, port: number): string {
  if (scopeOf(address) === 'loopback') return `${address} ${port}`
  return isIPv6(address) ? leadingBits(address, CUSTOMER_BITS) : address
}

/**
 * Name of the block of addresses that is written to as one: /24 of IPv4, /56 of IPv6, which a site gets; null where
 * blocks are not counted.
 * @param exemptsLocal whether those of local addresses are not
 */
export function replyBlockOf(address: string, exemptsLocal: boolean): string | null {
  if (exemptsLocal && scopeOf(address) !== 'public') return null
  return isIPv6(address) ? leadingBits(address, REPLY_BLOCK_BITS) : blockOf(address)
}

/** The first bits of an IPv6 address, a multiple of eight, as text. */
function leadingBits(address: string, bits: number): string {
  return expandedGroups(address)
    .map((group) => group.padStart(GROUP_BITS / 4, '0'))
    .join('')
    .slice(0, bits / 4)
}

function expandedGroups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined
    ? left
    : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right]
}

function blocks(...subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
