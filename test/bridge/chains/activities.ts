import { dataScript, type Payment, type Purse } from '../../../src/rehearsal/bitcoin/purse.ts'
import { keyPairOfSeed } from '../../../src/rehearsal/keyPair.ts'
import { countPegin } from './counts.ts'
import { headerOn } from './proofs.ts'
import { schedule } from './registrations.ts'
import { addressOf, outputScript } from './scripts.ts'
import type { SenderKind } from './senders.ts'
import { activeMember, below, bytes, oneOf, type World } from './world.ts'

const WEI_PER_SATOSHI = 10n ** 10n
const HEADERS_AT_ONCE = 40
/** How far the Bridge may be on a branch that is not the chain. */
const BRANCH_LENGTH = 2

/** A sender on Bitcoin. */
export interface Sender {
  readonly kind: SenderKind
  readonly purse: Purse
}

/** Addresses that peg-ins may go to now. */
async function federationScripts(world: World): Promise<Buffer[]> {
  const active = String(await world.driver.ask('getFederationAddress'))
  const retiring = await world.driver.ask('getRetiringFederationAddress')
  const list = [active, ...(typeof retiring === 'string' && retiring !== '' ? [retiring] : [])]
  return list.map(outputScript)
}

/** Pays the federation, in one of many ways. */
export async function pegIn(world: World, { kind, purse }: Sender): Promise<void> {
  const [active = Buffer.alloc(0), retiring] = await federationScripts(world)
  const value = BigInt(600_000 + below(world, 60_000_000))
  const payments: Payment[] = [{ script: active, value: world.random() < 0.05 ? 400_000n : value }]
  if (retiring !== undefined && world.random() < 0.3) {
    if (world.random() < 0.5) payments.push({ script: retiring, value: value / 2n + 500_000n })
    else payments[0] = { script: retiring, value }
  }
  if (world.random() < 0.05) payments.push({ script: active, value: world.random() < 0.5 ? 100_000n : value })
  if (world.driver.on('rskip170') && world.random() < 0.5)
    payments.push({ script: instruction(world), value: 0n })
  else if (world.random() < 0.05) payments.push({ script: dataScript(bytes(world, 20)), value: 0n })
  const { length } = payments
  const transaction = purse.pay(payments)
  schedule(
    world,
    transaction.getId(),
    `registerBtcTransaction (${kind}${length > 1 ? ', more outputs' : ''})`,
    (outcome) => countPegin(world.counts, kind, outcome),
  )
}

function instruction(world: World): Buffer {
  const destination = world.driver.account(`user${below(world, 10)}`).address
  const parts = [Buffer.from('RSKT'), Buffer.from([world.random() < 0.05 ? 2 : 1]), destination]
  if (world.random() < 0.4)
    parts.push(Buffer.from([world.random() < 0.1 ? 3 : 1 + below(world, 2)]), bytes(world, 20))
  const data = Buffer.concat(parts)
  return dataScript(world.random() < 0.05 ? data.subarray(0, -1) : data)
}

/** Asks for a peg-out. */
export async function requestRelease(world: World): Promise<void> {
  const odd = world.random()
  const satoshi = odd < 0.1 ? below(world, 600_000) : 520_000 + below(world, 6_000_000)
  const value = BigInt(satoshi) * WEI_PER_SATOSHI + BigInt(odd < 0.3 ? below(world, 1e9) : 0)
  const from = world.driver.account(`user${below(world, 10)}`)
  if (odd > 0.95 && world.driver.on('rskip88')) {
    await world.driver.call(from, 'releaseBtc', [], {
      value,
      to: world.proxies.CALL,
      label: 'releaseBtc by contract',
    })
    return
  }
  const more = odd > 0.5 ? { data: Buffer.alloc(0) } : {}
  await world.driver.call(from, 'releaseBtc', [], { value, gasLimit: 100_000, ...more })
}

/** Tells the Bridge the newest headers. */
export async function feedHeaders(world: World): Promise<void> {
  const { driver, bitcoin } = world
  if (bitcoin.height <= world.fedHeight && world.random() < 0.8) return
  // The head may be that of a branch made up below: the last blocks are shown once more.
  const first = Math.max(1, world.fedHeight + 1 - BRANCH_LENGTH)
  const blocks = bitcoin.blocksFrom(first).slice(0, HEADERS_AT_ONCE)
  const headers = blocks.map(({ header }) => header)
  const from = await activeMember(world)
  if (driver.on('rskip200') && headers.length <= BRANCH_LENGTH + 1 && world.random() < 0.3) {
    // Less than 300 seconds after the last one the header is refused: then it comes again with the next ones.
    await driver.call(driver.account('stranger'), 'receiveHeader', headers.slice(-1), { gasLimit: 100_000 })
    return
  }
  const gasLimit = 200_000 + 20_000 * headers.length
  const newest = blocks.at(-1)?.height ?? world.fedHeight
  if (world.random() < 0.2) headers.push(bytes(world, 80))
  const at = below(world, Math.min(6, newest - 3))
  const [parent] = bitcoin.blocksFrom(newest - at)
  if (world.random() < 0.2 && parent !== undefined) {
    headers.push(headerOn(parent.header, bytes(world, 32), parent.header.readUInt32LE(68) + 600))
  }
  await driver.call(from, 'receiveHeaders', [headers], { gasLimit })
}

/** Votes for fees and caps, and changes of the whitelist. */
export async function govern(world: World): Promise<void> {
  const { driver } = world
  const choice = below(world, 5)
  const auth = (seed: string) => driver.account(world.random() < 0.1 ? 'stranger' : seed)
  const user = addressOf(keyPairOfSeed(`btc-user${below(world, 30)}`).publicKey)
  if (choice === 0) {
    const fee = oneOf(world, [10_000, 20_000, 30_000, 100_000, 0, -5, 6_000_000])
    await driver.call(auth('auth-fee-per-kb'), 'voteFeePerKbChange', [fee])
  } else if (choice === 1) {
    const cap = await driver.ask('getLockingCap')
    const next = BigInt(String(cap ?? 100_000_000_000n))
    const times = oneOf(world, [0n, 9n, 11n, 20n, 21n])
    await driver.call(auth('auth-increase_locking_cap'), 'increaseLockingCap', [(next * times) / 10n])
  } else if (choice === 2) {
    const method = oneOf(world, ['addOneOffLockWhitelistAddress', 'addLockWhitelistAddress'])
    await driver.call(auth('auth-lock-whitelist'), method, [user, 50_000_000 + below(world, 1e9)])
  } else if (choice === 3)
    await driver.call(auth('auth-lock-whitelist'), 'addUnlimitedLockWhitelistAddress', [user])
  else await driver.call(auth('auth-lock-whitelist'), 'removeLockWhitelistAddress', [user])
}
