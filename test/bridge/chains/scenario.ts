import { contractAddressOf } from '../../../src/chain/codec/transaction.ts'
import { BitcoinChain } from '../../../src/rehearsal/bitcoin/bitcoinChain.ts'
import { type Purse, p2pkhPurse } from '../../../src/rehearsal/bitcoin/purse.ts'
import { keyPairOfSeed } from '../../../src/rehearsal/keyPair.ts'
import { feedHeaders, govern, pegIn, requestRelease, type Sender } from './activities.ts'
import { createCounts } from './counts.ts'
import type { ChainDriver, Outcome } from './driver.ts'
import { allMemberSeeds, elect } from './elections.ts'
import { BRIDGE } from './events.ts'
import { flyOver } from './flyover.ts'
import { junk } from './junk.ts'
import { registerScheduled } from './registrations.ts'
import { addressOf, outputScript } from './scripts.ts'
import { createSender, SENDER_KINDS } from './senders.ts'
import { signWaiting } from './signing.ts'
import { UNION_DEPLOYER, UNION_SETTER, union } from './union.ts'
import { activeMember, below, type CallKind, oneOf, USER_SEEDS, type World } from './world.ts'

const GENESIS_MEMBERS = ['federator1', 'federator2', 'federator3']
const OTHERS = [
  'auth-a',
  'auth-b',
  'auth-c',
  'auth-d',
  'auth-e',
  'auth-fee-per-kb',
  'auth-lock-whitelist',
  'auth-increase_locking_cap',
  UNION_SETTER,
  UNION_DEPLOYER,
  'stranger',
  ...USER_SEEDS,
]
const RBTC = 10n ** 18n
/** Of fly-overs. */
const REFUND_ADDRESSES = 30
/** Blocks of Bitcoin before the first payment: its coinbases may be spent then. */
const FIRST_BLOCKS = 110
/** Where the Bridge tells peg-outs by their index (bridge.md §4.2): validations of federations can be registered. */
const INDEXED_BLOCKS = 360
const OPCODES: Readonly<Record<CallKind, string>> = {
  CALL: 'f1',
  CALLCODE: 'f2',
  DELEGATECALL: 'f4',
  STATICCALL: 'fa',
}

/** Accounts, contracts and purses, in the first blocks of a chain. */
export async function prepare(
  driver: ChainDriver,
  random: () => number,
): Promise<{ world: World; senders: Sender[] }> {
  const miner = keyPairOfSeed('bitcoin-miner')
  const minerScript = p2pkhPurse(new BitcoinChain(Buffer.alloc(0)), miner).script
  const bitcoin = new BitcoinChain(minerScript)
  bitcoin.mine(driver.on('rskip419') ? INDEXED_BLOCKS : FIRST_BLOCKS)
  const cow = driver.account('cow')
  const members = allMemberSeeds()
  const memberSeeds = new Map(
    [...members, ...GENESIS_MEMBERS].map((seed) => [keyPairOfSeed(seed).publicKey.toString('hex'), seed]),
  )
  let nonce = 0n
  const proxies: Partial<Record<CallKind, Buffer>> = {}
  for (const [kind, opcode] of Object.entries(OPCODES)) {
    const data = deployment(opcode)
    await driver.send({ from: cow, to: Buffer.alloc(0), data, gasLimit: 400_000, label: 'deployment' })
    proxies[kind as CallKind] = contractAddressOf(cow.address, nonce)
    nonce += 1n
  }
  for (const seed of [...GENESIS_MEMBERS, ...OTHERS, ...members]) {
    const value = seed.startsWith('user') ? 100n * RBTC : 10n ** 15n
    const to = driver.account(seed).address
    await driver.send({ from: cow, to, data: Buffer.alloc(0), value, gasLimit: 21_000, label: 'funding' })
  }
  await driver.block()
  await driver.block()
  const deployer = driver.account(UNION_DEPLOYER)
  const data = deployment(OPCODES.CALL)
  await driver.send({ from: deployer, to: Buffer.alloc(0), data, gasLimit: 400_000, label: 'deployment' })
  const unionAuthoriser = contractAddressOf(deployer.address, 0n)
  const world: World = {
    driver,
    bitcoin,
    random,
    proxies: proxies as Record<CallKind, Buffer>,
    fedHeight: 0,
    memberSeeds,
    unionAuthoriser,
    payers: new Set(),
    counts: createCounts(),
  }
  return { world, senders: paidSenders(world, p2pkhPurse(bitcoin, miner)) }
}

/**
 * Contract creation of a contract that forwards its call data, with its value where that can go along, and logs the
 * success of the call and its output.
 */
function deployment(opcode: string): Buffer {
  const value = opcode === 'f1' || opcode === 'f2' ? '34' : ''
  const code = `36600060003760006000366000${value}73${BRIDGE.toString('hex')}5a${opcode}6000523d600060203e3d6020016000a000`
  const length = (code.length / 2).toString(16).padStart(2, '0')
  return Buffer.from(`60${length}80600b6000396000f3${code}`, 'hex')
}

function paidSenders(world: World, miner: Purse): Sender[] {
  const senders = SENDER_KINDS.flatMap((kind) => {
    const count = kind === 'p2pkh' || kind === 'p2shP2wpkh' ? 5 : 2
    return Array.from({ length: count }, (_, index): Sender => {
      const seed = kind === 'p2pkh' ? `btc-user${index}` : `${kind}-${index}`
      return { kind, purse: createSender(world.bitcoin, kind, seed) }
    })
  })
  for (const { purse } of senders) world.payers.add(purse.script.toString('hex'))
  for (let user = 0; user < REFUND_ADDRESSES; user += 1) {
    const address = addressOf(keyPairOfSeed(`btc-user${user}`).publicKey)
    world.payers.add(outputScript(address).toString('hex'))
  }
  miner.pay(senders.map(({ purse }) => ({ script: purse.script, value: 2_000_000_000n })))
  world.bitcoin.mine(1)
  return senders
}

/** One block of the chain, with what happens in it. */
export async function step(world: World, senders: readonly Sender[]): Promise<void> {
  const { driver, random } = world
  if (random() < 0.3) world.bitcoin.mine(1)
  world.fedHeight = Number((await driver.ask('getBtcBlockchainBestChainHeight')) ?? 0)
  await feedHeaders(world)
  await registerScheduled(world)
  if (driver.number === 4) await openWhitelist(world)
  if (random() < 0.35) await trySending(world, () => pegIn(world, someSender(world, senders)))
  if (driver.on('rskip293') && random() < 0.04)
    await trySending(world, () => flyOver(world, oneOf(world, senders)))
  if (random() < 0.3) await requestRelease(world)
  if (random() < 0.1) await govern(world)
  if (random() < 0.15) await union(world)
  await elect(world)
  if (driver.number % 2 === 0) await signWaiting(world)
  if (random() < 0.85) {
    const done = ({ names }: Outcome) => {
      if (names.has('commit_federation_failed')) world.counts.failedValidations += 1
    }
    await driver.call(await activeMember(world), 'updateCollections', [], { gasLimit: 400_000, done })
  }
  for (let count = 1 + below(world, 3); count > 0; count -= 1) await junk(world)
  await driver.block()
}

/** There are more senders of the kinds that are known since long: the others have their turn by their kind. */
function someSender(world: World, senders: readonly Sender[]): Sender {
  if (world.random() < 0.5) return oneOf(world, senders)
  const kind = oneOf(world, SENDER_KINDS)
  return oneOf(
    world,
    senders.filter((each) => each.kind === kind),
  )
}

/** Purses run out of coins: then somebody else pays next time. */
async function trySending(world: World, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    world.counts.anomalies += 1
    process.stderr.write(`payment: ${String(error)}\n`)
  }
}

async function openWhitelist({ driver }: World): Promise<void> {
  const from = driver.account('auth-lock-whitelist')
  await driver.call(from, 'setLockWhitelistDisableBlockDelay', [12])
  for (let user = 0; user < 5; user += 1) {
    const key = keyPairOfSeed(`btc-user${user}`).publicKey
    const method = driver.on('rskip87') ? 'addOneOffLockWhitelistAddress' : 'addLockWhitelistAddress'
    await driver.call(from, method, [addressOf(key), 100_000_000])
  }
}
