import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

const BITS = /^[0-9]{1,3}$/
const MAX_BITS = { 4: 32, 6: 128 } as const

/** An address or a block of them that may not connect. */
interface Ban {
  readonly family: 4 | 6
  readonly address: string
  /** null for a single address. */
  readonly bits: number | null
}

/** An address that cannot be banned: none, that of the machine itself, or a malformed block. */
export class BanError extends Error {
  override readonly name = 'BanError'
  readonly code = 'BAN_ADDRESS'
}

/** Addresses that an operator has banned. They are kept in memory, as the reference does. */
export class BannedAddresses {
  readonly #bans = new Map<string, Ban>()
  /** All of them, to look up an address; null after a change. */
  #lookup: BlockList | null = null

  /** Bans `address`, `address/bits` or what a host name resolves to. @throws BanError */
  async add(text: string): Promise<void> {
    const ban = await parseBan(text)
    this.#bans.set(describe(ban), ban)
    this.#lookup = null
  }

  /** Lifts the ban of exactly this address or block; nothing happens when there is none. @throws BanError */
  async remove(text: string): Promise<void> {
    this.#bans.delete(describe(await parseBan(text)))
    this.#lookup = null
  }

  /** Single addresses first, then blocks, each in the order in which they came. */
  list(): string[] {
    const bans = [...this.#bans.values()]
    return [...bans.filter(({ bits }) => bits === null), ...bans.filter(({ bits }) => bits !== null)].map(
      describe,
    )
  }

  /** True when the address is banned by itself or with a block. */
  covers(address: string): boolean {
    if (this.#bans.size === 0) return false
    this.#lookup ??= lookupOf(this.#bans.values())
    return this.#lookup.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

function lookupOf(bans: Iterable<Ban>): BlockList {
  const list = new BlockList()
  for (const { family, address, bits } of bans) {
    if (bits === null) list.addAddress(address, `ipv${family}`)
    else list.addSubnet(address, bits, `ipv${family}`)
  }
  return list
}

async function parseBan(text: string): Promise<Ban> {
  const [name = '', bitsText, ...rest] = text.split('/')
  if (name === '' || rest.length > 0) throw new BanError(text)
  const { address, family } = await resolve(name)
  if (isOwn(address)) throw new BanError(text)
  if (bitsText === undefined) return { family, address, bits: null }
  const bits = Number(bitsText)
  if (!BITS.test(bitsText) || bits < 1 || bits > MAX_BITS[family]) throw new BanError(text)
  return { family, address, bits }
}

async function resolve(name: string): Promise<{ address: string; family: 4 | 6 }> {
  const family = isIP(name)
  if (family === 4 || family === 6) return { address: name, family }
  try {
    const found = await lookup(name)
    return { address: found.address, family: found.family === 6 ? 6 : 4 }
  } catch (error) {
    throw new BanError(name, { cause: error })
  }
}

/** Loopback and the unspecified address: banning them would shut the node off from itself. */
function isOwn(address: string): boolean {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8, 'ipv4')
  list.addAddress('0.0.0.0', 'ipv4')
  list.addAddress('::1', 'ipv6')
  list.addAddress('::', 'ipv6')
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function describe({ family, address, bits }: Ban): string {
  const shown = family === 6 ? writeGroups(address) : address
  return bits === null ? shown : `${shown}/${bits}`
}

/** The eight groups of an IPv6 address without leading zeros and without `::`, as the reference writes them. */
function writeGroups(address: string): string {
  const [canonical = ''] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('%')
  const [head = '', tail = ''] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = canonical.includes('::')
    ? Array.from({ length: 8 - left.length - right.length }, () => '0')
    : []
  return [...left, ...zeros, ...right].join(':')
}
