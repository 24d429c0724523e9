import { BlockList, isIPv6 } from 'node:net'
import type { Subnet } from '../../util/subnet.ts'

/** Peers that the operator trusts, which are exempt from all limits (p2p.md §7, `peer.trusted`). */
export class TrustedPeers {
  readonly #ids: ReadonlySet<string>
  readonly #addresses = new BlockList()

  /** @param ids 128 hex digits each */
  constructor(ids: readonly string[], subnets: readonly Subnet[]) {
    this.#ids = new Set(ids)
    for (const { address, bits, family } of subnets) this.#addresses.addSubnet(address, bits, family)
  }

  trustsAddress(address: string): boolean {
    return this.#addresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }

  trusts(id: string, address: string): boolean {
    return this.#ids.has(id) || this.trustsAddress(address)
  }
}
