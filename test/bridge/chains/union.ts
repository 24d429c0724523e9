import type { Outcome } from './driver.ts'
import { below, bytes, oneOf, USER_SEEDS, type World } from './world.ts'

/** Whose first contract may change the cap and the permissions on regtest (bridge.md §6.3). */
export const UNION_DEPLOYER = 'UnionBridgeAuthorizerDeployer'
/** Whoever may say which contract is the union's. */
export const UNION_SETTER = 'changeUnionBridgeContractAddressAuthorizer'

/** Wei that the union's contract has of the Bridge. */
const outstanding = new WeakMap<World, bigint>()

/** Wei that are asked for at once; the first cap is 1 RBTC. */
const MAX_REQUEST_WEI = 2n * 10n ** 17n
/** As much as no chain here ever asks for. */
const TOO_MUCH = 9n * 10n ** 19n

/** Calls of the union bridge, most of them by the contract that is set as the union's (bridge.md §4.8). */
export async function union(world: World): Promise<void> {
  const { driver, proxies } = world
  if (!driver.on('rskip502')) return
  const address = BigInt(String((await driver.ask('getUnionBridgeContractAddress')) ?? 0))
  const choice = address === 0n ? 0 : world.random()
  if (choice < 0.08) {
    const own = world.random() < 0.8 ? proxies.CALL : proxies.STATICCALL
    const setter = driver.account(world.random() < 0.9 ? UNION_SETTER : 'stranger')
    await driver.call(setter, 'setUnionBridgeContractAddressForTestnet', [`0x${own.toString('hex')}`])
  } else if (choice < 0.42) await request(world)
  else if (choice < 0.7) await release(world)
  else if (choice < 0.82) await authorised(world)
  else {
    const method = oneOf(world, ['setBaseEvent', 'setSuperEvent', 'clearBaseEvent', 'clearSuperEvent'])
    const args = method.startsWith('set') ? [bytes(world, below(world, 150))] : []
    await byContract(world, method, args)
  }
}

async function request(world: World): Promise<void> {
  const share = BigInt(1 + below(world, 1e6))
  const value = world.random() < 0.1 ? TOO_MUCH : (MAX_REQUEST_WEI * share) / 1_000_000n
  await byContract(world, 'requestUnionBridgeRbtc', [value], 0n, ({ names }) => {
    if (!names.has('union_rbtc_requested')) return
    world.counts.unionRequests += 1
    outstanding.set(world, (outstanding.get(world) ?? 0n) + value)
  })
}

/** More than was asked for stops both directions, until the authoriser allows them again. */
async function release(world: World): Promise<void> {
  const share = BigInt(below(world, 1e6))
  const most = outstanding.get(world) ?? 0n
  if (most === 0n && world.random() < 0.9) return request(world)
  const value = world.random() < 0.05 ? TOO_MUCH : (most * share) / 1_000_000n
  await byContract(world, 'releaseUnionBridgeRbtc', [], value, ({ names }) => {
    if (!names.has('union_rbtc_released')) return
    world.counts.unionReleases += 1
    outstanding.set(world, (outstanding.get(world) ?? 0n) - value)
  })
}

async function authorised(world: World): Promise<void> {
  const { driver } = world
  const to = world.random() < 0.9 ? world.unionAuthoriser : world.proxies.CALL
  const more = { to, gasLimit: 150_000 }
  const from = driver.account('user1')
  if (world.random() < 0.4) {
    const cap = BigInt(String((await driver.ask('getUnionBridgeLockingCap')) ?? 0))
    const next = (cap * oneOf(world, [9n, 11n, 20n, 21n])) / 10n
    const label = 'increaseUnionBridgeLockingCap by contract'
    await driver.call(from, 'increaseUnionBridgeLockingCap', [next], { ...more, label })
    return
  }
  const flags = [world.random() < 0.9, world.random() < 0.9]
  const label = 'setUnionBridgeTransferPermissions by contract'
  await driver.call(from, 'setUnionBridgeTransferPermissions', flags, { ...more, label })
}

async function byContract(
  world: World,
  method: string,
  args: readonly unknown[],
  value = 0n,
  done?: (outcome: Outcome) => void,
): Promise<void> {
  const { driver, proxies } = world
  const from = driver.account(oneOf(world, USER_SEEDS))
  const more = { to: proxies.CALL, value, label: `${method} by contract`, ...(done ? { done } : {}) }
  await driver.call(from, method, args, more)
}
