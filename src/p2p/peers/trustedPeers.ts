import { BlockList, isIPv6 } from 'node:net'
import type { Subnet } from '../../util/subnet.ts'
import type { PeerAddress } from './ports.ts'

/** Peers that the operator trusts, which are exempt from all limits (p2p.md §7, `peer.trusted`). */
export class TrustedPeers {
  readonly #ids: ReadonlySet<string>
  readonly #addresses = new BlockList()
  /** Members of the own fleet, who change. */
  #members: { readonly ids: ReadonlySet<string>; readonly addresses: ReadonlySet<string> } = {
    ids: new Set(),
    addresses: new Set(),
  }

  /** @param ids 128 hex digits each */
  constructor(ids: readonly string[], subnets: readonly Subnet[]) {
    this.#ids = new Set(ids)
    for (const { address, bits, family } of subnets) this.#addresses.addSubnet(address, bits, family)
  }

  /** Members of the own fleet, in place of those before. */
  setMembers(members: readonly PeerAddress[]): void {
    this.#members = {
      ids: new Set(members.map(({ id }) => id)),
      addresses: new Set(members.map(({ address }) => address)),
    }
  }

  /** True when connections from an address may be taken outside the limits before it is known whose they are. */
  maySkipLimits(address: string): boolean {
    return this.#members.addresses.has(address) || this.trustsAddress(address)
  }

  trustsAddress(address: string): boolean {
    return this.#addresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }

  trusts(id: string, address: string): boolean {
    return this.#ids.has(id) || this.#members.ids.has(id) || this.trustsAddress(address)
  }
}
