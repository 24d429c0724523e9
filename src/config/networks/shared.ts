import type { BootstrapNode, GenesisAccount } from '../networkSpec.ts'

/** The Bridge holds the whole supply at genesis: 21 million, in wei (consensus.md §1.4). */
export const BRIDGE_GENESIS_ACCOUNT: GenesisAccount = {
  address: '0x0000000000000000000000000000000001000006',
  balance: 21_000_000n * 10n ** 18n,
}

/** Difficulty below which a block without merged mining was accepted on networks with fallback mining. */
export const FALLBACK_MINING_DIFFICULTY = 14_000_000_000_000_000n

/** Balance of each prefunded development account, in wei. */
export const DEVELOPMENT_BALANCE = 10n ** 30n

/** Bootstrap nodes that are numbered from 01 on (p2p.md §0). @param domain behind `bootstrap01.` */
export function bootstrapNodes(count: number, domain: string, port: number): readonly BootstrapNode[] {
  return Array.from({ length: count }, (_, index) => ({
    host: `bootstrap${String(index + 1).padStart(2, '0')}.${domain}`,
    port,
  }))
}
