import { keccak_256 } from '@noble/hashes/sha3'

/** Private key of the first account that the regtest genesis funds (consensus.md §1.4). */
export const COW_KEY: `0x${string}` = `0x${Buffer.from(keccak_256('cow')).toString('hex')}`

/** Its address. */
export const COW_ADDRESS = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'

/** Chain id of the local development chain. */
export const REGTEST_CHAIN_ID = 33
